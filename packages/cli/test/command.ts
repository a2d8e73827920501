import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { onTestFinished, vi } from "vitest";

import { run } from "../src/main.ts";

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

/**
 * Runs the command line in this process, which saves the start of a program: for commands that read no stdin, and load no file
 * that changes later.
 */
export async function envsHere(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await run(args);
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const name in variables) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}
