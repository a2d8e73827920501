import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";

import { inspectTarball } from "../src/packages/tarball/inspect.ts";
import { packageLimits } from "../src/packages/tarball/limits.ts";
import { errorCodeOf } from "./support/errors.ts";

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);
const npm = join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js");
const yarn1 = join(dirname(resolve("yarn/package.json")), "bin/yarn.js");
const yarn4 = resolve("@yarnpkg/cli-dist/bin/yarn.js");
const reverseText = new URL("../../environments/reverse-text", import.meta.url).pathname;

/** The command with which each client packs its working directory. The tests run under pnpm, which adds itself to the PATH. */
const packers = {
  "npm 11": [process.execPath, npm, "pack", "--ignore-scripts"],
  "pnpm 12": ["pnpm", "pack", "--ignore-scripts"],
  "Yarn 1": [process.execPath, yarn1, "pack"],
  "Yarn 4": [process.execPath, yarn4, "pack", "--out", "packed.tgz"],
} as const satisfies Record<string, readonly [string, ...string[]]>;
const clients = Object.keys(packers) as (keyof typeof packers)[];

async function temporary(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "envs-packers-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Writes a project that no client takes for a part of this workspace. */
async function project(folder: string, packageJson: object): Promise<void> {
  await writeFile(join(folder, "package.json"), JSON.stringify(packageJson));
  // Where CI is set, Yarn 4 would not write the lockfile that it needs to pack.
  await writeFile(
    join(folder, ".yarnrc.yml"),
    "enableTelemetry: false\nenableImmutableInstalls: false\n",
  );
  await writeFile(join(folder, "yarn.lock"), "");
  await writeFile(join(folder, "pnpm-workspace.yaml"), "packages: []\n");
}

async function pack(
  client: keyof typeof packers,
  folder: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [program, ...args] = packers[client];
  if (client === "Yarn 4") await run(process.execPath, [yarn4, "install"], { cwd: folder });
  await run(program, args, { cwd: folder });
  const file = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  return Uint8Array.from(await readFile(join(folder, file)));
}

describe.each(clients)("a tarball of %s", (client) => {
  test("contains the folder's files", async () => {
    await using temp = await temporary();
    const deep = `deep/${Array.from({ length: 6 }, (_, n) => `a-folder-of-some-length-${n}`).join("/")}`;
    const files = { "bin/cli.js": "#!/usr/bin/env node\n", [`${deep}/größe.txt`]: "☃", empty: "" };
    for (const [path, content] of Object.entries(files)) {
      const file = join(temp.folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: path.startsWith("bin") ? 0o755 : 0o644 });
    }
    await writeFile(join(temp.folder, "README.md"), "# Packed\n");
    const manifest = {
      name: "@fixture/packed",
      version: "1.0.0-beta.1",
      bin: { packed: "./bin/cli.js" },
      files: ["bin", "deep", "empty"],
    };
    await project(temp.folder, manifest);
    const inspected = await inspectTarball(await pack(client, temp.folder), packageLimits);
    expect(inspected.manifest).toEqual({ ...manifest, bin: { packed: "bin/cli.js" } });
    expect(inspected.readme).toEqual({ file: "README.md", text: "# Packed\n" });
    expect(inspected.files.map(({ path }) => path).sort()).toEqual(
      ["README.md", "package.json", ...Object.keys(files)].sort(),
    );
    expect(inspected.files.filter(({ isExecutable }) => isExecutable)).toMatchObject([
      { path: "bin/cli.js", size: 20 },
    ]);
  });

  test("contains the built environment", async () => {
    await using temp = await temporary();
    for (const each of ["dist", "src", "README.md", "envs.manifest.json"])
      await cp(join(reverseText, each), join(temp.folder, each), { recursive: true });
    const { name, version, files } = JSON.parse(
      await readFile(join(reverseText, "package.json"), "utf8"),
    ) as { name: string; version: string; files: readonly string[] };
    await project(temp.folder, { name, version, files });
    const { environment } = await inspectTarball(await pack(client, temp.folder), packageLimits);
    expect(environment?.manifest).toMatchObject({ name: "reverse-text", package: { name } });
  });
});

test("pnpm packs a workspace environment that the hub accepts", async () => {
  await using temp = await temporary();
  await run("pnpm", ["pack", "--ignore-scripts", "--pack-destination", temp.folder], {
    cwd: reverseText,
  });
  const [file = ""] = await readdir(temp.folder);
  const bytes = Uint8Array.from(await readFile(join(temp.folder, file)));
  const { manifest, environment } = await inspectTarball(bytes, packageLimits);
  expect(manifest.dependencies).toEqual({
    "@envs/core": expect.stringMatching(/^\^\d+\.\d+\.\d+$/),
  });
  expect(environment?.manifest.name).toBe("reverse-text");
});

test("npm packs a workspace environment that the hub rejects", async () => {
  await using temp = await temporary();
  await run(
    process.execPath,
    [npm, "pack", "--ignore-scripts", "--pack-destination", temp.folder],
    { cwd: reverseText },
  );
  const [file = ""] = await readdir(temp.folder);
  const bytes = Uint8Array.from(await readFile(join(temp.folder, file)));
  expect(await errorCodeOf(() => inspectTarball(bytes, packageLimits))).toBe("dependency-source");
});
