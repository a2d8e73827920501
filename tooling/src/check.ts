import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ignoreClosedPipe } from "./closed-pipe.ts";

// Runs all checks but the tests, and reports each. Fails if one fails.
const root = join(import.meta.dirname, "../..");

ignoreClosedPipe();

const gates: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  build: () => [["node", "tooling/src/build.ts"]],
  typecheck: () => [
    ["tsc", "-b"],
    ["tsc", "-p", "tsconfig.test.json"],
  ],
  lint: () => [["oxlint", "--type-aware", "--deny-warnings"]],
  format: () => [["oxfmt", "--check"]],
  kernels: () => [["node", "packages/tiny-model/build-kernels.ts", "--check"]],
  docs: () => [["node", "tooling/src/sync-docs.ts", "--check"]],
  site: () => [["node", "tooling/src/build.ts", "site"]],
  prose: () => [["node", "tooling/src/prose.ts"]],
  workflows: () => [["node", "tooling/src/lint-workflows.ts"]],
  "dead code": () => [["knip"]],
  packages: () =>
    packTarballs().flatMap((tarball) => [
      ["attw", tarball, "--profile", "esm-only"],
      ["publint", "run", tarball, "--strict"],
    ]),
};

function publishable(): readonly string[] {
  const nested = ["packages", "environments"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return [...nested, "hub-server"].filter((folder) => !isPrivate(folder));
}

function isPrivate(folder: string): boolean {
  const text = readFileSync(join(root, folder, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly private?: boolean }).private === true;
}

/** Packs with pnpm, which replaces `workspace:` and `catalog:`: the tarballs are those that users install. */
function packTarballs(): readonly string[] {
  const target = mkdtempSync(join(tmpdir(), "envs-pack-"));
  process.on("exit", () => rmSync(target, { recursive: true, force: true }));
  for (const folder of publishable()) {
    const { status, stderr } = spawnSync("pnpm", ["pack", "--pack-destination", target], {
      cwd: join(root, folder),
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`pnpm cannot pack ${folder}: ${stderr}`);
  }
  return readdirSync(target).map((name) => join(target, name));
}

let failed = 0;
for (const [name, commands] of Object.entries(gates)) {
  const started = performance.now();
  const problems = commands().flatMap(([command = "", ...args]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
    return status === 0 ? [] : [`$ ${[command, ...args].join(" ")}\n${stdout}${stderr}`];
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (problems.length > 0) failed += 1;
  process.stdout.write(`${problems.length === 0 ? "✓" : "✗"} ${name} (${seconds} s)\n`);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
}
process.stdout.write(
  `${Object.keys(gates).length - failed} of ${Object.keys(gates).length} gates passed\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
