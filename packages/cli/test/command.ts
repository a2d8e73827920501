import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "../src/bin.ts");

/** Runs the command line from its sources, in the root of the workspace by default, with `input` on stdin. */
export async function envs(
  args: readonly string[],
  input = "",
  variables: Readonly<Record<string, string>> = {},
  cwd: string = join(import.meta.dirname, "../../.."),
) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: {
      ...process.env,
      NO_COLOR: "1",
      // Clears NODE_PATH, which pnpm sets: with it, a package could import packages that it does not depend on.
      NODE_PATH: "",
      OPENAI_API_KEY: "",
      OPENAI_BASE_URL: "",
      ...variables,
    },
  });
  child.stdin.on("error", () => {}).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, "exit");
  return { stdout, stderr, code: child.exitCode };
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}
