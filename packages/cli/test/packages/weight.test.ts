import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";
import * as yaml from "yaml";

import { commandPackages } from "../../src/packages/package-commands.ts";

const root = join(import.meta.dirname, "../../../..");

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string | { readonly version: string }>>;
  readonly optionalDependencies?: Dependencies["dependencies"];
}

const lockfile = yaml.parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")) as {
  readonly importers: Readonly<Record<string, Dependencies>>;
  readonly snapshots: Readonly<Record<string, Dependencies>>;
  readonly packages: Readonly<Record<string, { readonly peerDependenciesMeta?: object }>>;
};

/** The packages that a user installs with a package of the workspace, itself included. */
function installedWith(folder: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (key: string, from: string): void => {
    if (found.has(key)) return;
    found.add(key);
    const { dependencies, optionalDependencies } =
      lockfile.importers[key] ?? lockfile.snapshots[key] ?? {};
    // Ignores optional peers, which this workspace has and a user does not install.
    const peers = lockfile.packages[key.replace(/\(.*$/, "")]?.peerDependenciesMeta ?? {};
    for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      if (name in peers) continue;
      const version = typeof range === "string" ? range : range.version;
      const linked = join(from, version.slice("link:".length));
      if (version.startsWith("link:")) add(linked, linked);
      else add(`${name}@${version}`, from);
    }
  };
  add(folder, folder);
  // Counts a package once, although pnpm has an entry for each set of its peers.
  return new Set([...found].map((key) => key.replace(/\(.*$/, "")));
}

test("installs at most 60 packages", () => {
  const installed = installedWith("packages/cli");
  expect(installed).toContain("packages/core");
  expect(installed.size).toBeLessThanOrEqual(60);
});

test("imports no package that brings commands", () => {
  const others = ["gateway", "hub-client", "hub-server", "otel", "web"];
  const forbidden = new Set([...commandPackages, ...others]);
  const imports = globSync("packages/cli/src/**/*.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/(?:from|import\() ?"@envs\/([\w-]+)/g)]
      .filter(([, name = ""]) => forbidden.has(name))
      .map(([text]) => `${file}: ${text}`),
  );
  expect(imports).toEqual([]);
});
