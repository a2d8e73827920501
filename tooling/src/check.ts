import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { ignoreClosedPipe } from "./closed-pipe.ts";

// Runs all checks but the tests, and reports each. Fails if one fails.
const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

ignoreClosedPipe();

type Gate = readonly [name: string, commands: readonly (readonly string[])[]];

const build: Gate = ["build", [["node", "tooling/src/build.ts"]]];

/** Two gates run at once: some use several cores. The longest come first. The tarballs contain the site. */
const gates: readonly Gate[] = [
  [
    "site and packages",
    [
      ["node", "tooling/src/build.ts", "site"],
      ["node", "tooling/src/package-shape.ts"],
    ],
  ],
  ["lint", [["oxlint", "--type-aware", "--deny-warnings"]]],
  [
    "types",
    [
      ["tsc", "-b"],
      ["tsc", "-p", "tsconfig.test.json"],
    ],
  ],
  ["docs", [["node", "tooling/src/sync-docs.ts", "--check"]]],
  ["prose", [["node", "tooling/src/prose.ts"]]],
  ["dead code", [["knip"]]],
  ["kernels", [["node", "packages/tiny-model/build-kernels.ts", "--check"]]],
  ["format", [["oxfmt", "--check"]]],
  ["workflows", [["node", "tooling/src/lint-workflows.ts"]]],
];

let [passed, failed] = [0, 0];

async function check([name, commands]: Gate): Promise<void> {
  const started = performance.now();
  const problems: string[] = [];
  for (const [command = "", ...args] of commands) {
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
const waiting = gates.values();
await Promise.all(
  [1, 2].map(async () => {
    for (const gate of waiting) await check(gate);
  }),
);
process.stdout.write(`${passed} of ${passed + failed} gates passed\n`);
process.exitCode = failed === 0 ? 0 : 1;
