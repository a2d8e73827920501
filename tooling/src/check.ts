import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { ignoreClosedPipe } from "./closed-pipe.ts";

// Runs all checks but the tests, and reports each. Fails if one fails.
const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

ignoreClosedPipe();

type Commands = readonly (readonly string[])[];
type Gate = readonly [name: string, commands: () => Commands | Promise<Commands>];

const build: Gate = ["build", () => [["node", "tooling/src/build.ts"]]];

/** Two lists of gates that run at once: most use one core. The tarballs contain the site. */
const lists: readonly (readonly Gate[])[] = [
  [
    ["site", () => [["node", "tooling/src/build.ts", "site"]]],
    [
      "packages",
      async () =>
        (await packTarballs()).flatMap((tarball) => [
          ["attw", tarball, "--profile", "esm-only"],
          ["publint", "run", tarball, "--strict"],
        ]),
    ],
  ],
  [
    [
      "typecheck",
      () => [
        ["tsc", "-b"],
        ["tsc", "-p", "tsconfig.test.json"],
      ],
    ],
    ["lint", () => [["oxlint", "--type-aware", "--deny-warnings"]]],
    ["format", () => [["oxfmt", "--check"]]],
    ["kernels", () => [["node", "packages/tiny-model/build-kernels.ts", "--check"]]],
    ["docs", () => [["node", "tooling/src/sync-docs.ts", "--check"]]],
    ["prose", () => [["node", "tooling/src/prose.ts"]]],
    ["workflows", () => [["node", "tooling/src/lint-workflows.ts"]]],
    ["dead code", () => [["knip"]]],
  ],
];

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
async function packTarballs(): Promise<readonly string[]> {
  const target = mkdtempSync(join(tmpdir(), "envs-pack-"));
  process.on("exit", () => rmSync(target, { recursive: true, force: true }));
  for (const folder of publishable())
    await run("pnpm", ["pack", "--pack-destination", target], { cwd: join(root, folder) });
  return readdirSync(target).map((name) => join(target, name));
}

let [passed, failed] = [0, 0];

async function check([name, commands]: Gate): Promise<void> {
  const started = performance.now();
  const problems: string[] = [];
  for (const [command = "", ...args] of await commands()) {
    try {
      await run(command, args, { cwd: root, maxBuffer: 2 ** 28 });
    } catch (error) {
      const { message, stdout, stderr } = error as Error & Record<"stdout" | "stderr", string>;
      problems.push(`${message.split("\n", 1)[0]}\n${stdout}${stderr}`);
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (problems.length === 0) passed += 1;
  else failed += 1;
  process.stdout.write(`${problems.length === 0 ? "✓" : "✗"} ${name} (${seconds} s)\n`);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
}

await check(build);
await Promise.all(
  lists.map(async (gates) => {
    for (const gate of gates) await check(gate);
  }),
);
process.stdout.write(`${passed} of ${passed + failed} gates passed\n`);
process.exitCode = failed === 0 ? 0 : 1;
