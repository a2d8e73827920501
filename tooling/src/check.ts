import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

import { ignoreClosedPipe } from "./closed-pipe.ts";

// Builds, then runs all other checks but the tests, one on each core. Reports each, and fails if one fails.
const root = join(import.meta.dirname, "../..");

ignoreClosedPipe();

/** The commands of each gate, those that take longest first. */
const gates: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  site: () => [["node", "tooling/src/build.ts", "site"]],
  packages: () =>
    packTarballs().flatMap((tarball) => [
      ["attw", tarball, "--profile", "esm-only"],
      ["publint", "run", tarball, "--strict"],
    ]),
  typecheck: () => [
    ["tsc", "-b"],
    ["tsc", "-p", "tsconfig.test.json"],
  ],
  lint: () => [["oxlint", "--type-aware", "--deny-warnings"]],
  format: () => [["oxfmt", "--check"]],
  kernels: () => [["node", "packages/tiny-model/build-kernels.ts", "--check"]],
  docs: () => [["node", "tooling/src/sync-docs.ts", "--check"]],
  prose: () => [["node", "tooling/src/prose.ts"]],
  workflows: () => [["node", "tooling/src/lint-workflows.ts"]],
  "dead code": () => [["knip"]],
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

/** Runs the commands of a gate, and prints what failed. Resolves to whether all succeeded. */
async function passes(name: string, commands: readonly (readonly string[])[]): Promise<boolean> {
  const started = performance.now();
  const problems: string[] = [];
  for (const [command = "", ...args] of commands) {
    const { isOk, output } = await run(command, args);
    if (!isOk) problems.push(`$ ${[command, ...args].join(" ")}\n${output}`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${problems.length === 0 ? "✓" : "✗"} ${name} (${seconds} s)\n`);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  return problems.length === 0;
}

function run(command: string, args: readonly string[]): Promise<{ isOk: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

const isBuilt = await passes("build", [["node", "tooling/src/build.ts"]]);
const names = Object.keys(gates);
const waiting = Object.entries(gates);
let passed = isBuilt ? 1 : 0;
const worker = async (): Promise<void> => {
  for (let gate = waiting.shift(); gate !== undefined; gate = waiting.shift())
    if (await passes(gate[0], gate[1]())) passed += 1;
};
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
process.stdout.write(`${passed} of ${names.length + 1} gates passed\n`);
process.exitCode = passed === names.length + 1 ? 0 : 1;
