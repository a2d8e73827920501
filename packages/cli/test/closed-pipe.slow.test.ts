import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { findRuns, readMetadata } from "@envs/records/node";
import { expect, test } from "vitest";

import { temporaryFolder } from "./command.ts";

const bin = join(import.meta.dirname, "../src/bin.ts");
const run = join(import.meta.dirname, "../../records/test/fixtures/verifiers-run");

/** Runs the command line within a shell line, which refers to it as `"$@"` and prints its exit code. Stdin stays open. */
async function envsInShell(line: string, args: readonly string[]) {
  const command = [process.execPath, bin, ...args];
  const shell = spawn("sh", ["-c", line, "sh", ...command], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, NO_COLOR: "1", NODE_PATH: "" },
  });
  const [stdout, output] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  const [, stderr, code] = /^([^]*)ended with (\d+)\n$/.exec(output) ?? [];
  return { stdout, stderr, code: Number(code) };
}

// `true` reads nothing, and exits before the command prints.
const closedPipe = '{ "$@"; echo "ended with $?" >&2; } | true';

test.for([
  [["--help"]],
  [["info"]],
  [["hub", "server", "--help"]],
  [["view", run]],
  [["play", "tictactoe"]],
])("envs %j exits quietly when the reader has closed the pipe", async ([args]) => {
  expect(await envsInShell(closedPipe, args!)).toEqual({ stdout: "", stderr: "", code: 0 });
});

test("envs play prints the first line to a reader that then closes the pipe", async () => {
  const line = '{ "$@"; echo "ended with $?" >&2; } | head -n 1';
  const { stdout, stderr, code } = await envsInShell(line, ["play", "tictactoe"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(stdout).toMatch(/^tictactoe · .*\n$/);
});

test("envs eval saves the whole run and keeps its exit code when the reader has closed the pipe", async () => {
  const outputs = await temporaryFolder();
  const line = '{ { "$@" 2>&1; echo "ended with $?" >&3; } | true; } 3>&2';
  const args = ["eval", "tictactoe", "-m", "policy:random", "-n", "4", "-r", "1"];
  const { stderr, code } = await envsInShell(line, [...args, "--save", outputs]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const [saved = ""] = await findRuns(outputs);
  expect(await readMetadata(saved)).toMatchObject({ is_complete: true });
});

// /dev/full exists on Linux only.
test.skipIf(process.platform !== "linux")("envs info fails when the disk is full", async () => {
  const line = '"$@" > /dev/full; echo "ended with $?" >&2';
  const { stderr, code } = await envsInShell(line, ["info"]);
  expect({ stderr, code }).toEqual({
    stderr: expect.stringMatching(/^✗ Cannot write the output: ENOSPC.*\n$/),
    code: 1,
  });
});
