import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { findRuns, readMetadata } from "@envs/core/node";
import { expect, test } from "vitest";

import { temporaryFolder } from "./command.ts";

const bin = join(import.meta.dirname, "../src/bin.ts");
const run = join(import.meta.dirname, "../../core/test/fixtures/verifiers-run");

/** Runs the command line in a shell that does something with what it prints. Nobody types, and nobody ends the input. */
async function envsInShell(line: string, args: readonly string[]) {
  const command = [process.execPath, "-C", "@envs/source", bin, ...args];
  const shell = spawn("sh", ["-c", line, "sh", ...command], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, NO_COLOR: "1", NODE_PATH: "" },
  });
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  const [, said, code] = /^([^]*)ended with (\d+)\n$/.exec(stderr) ?? [];
  return { stdout, said, code: Number(code) };
}

// `true` reads nothing and is gone before the command prints.
const unread = '{ "$@"; echo "ended with $?" >&2; } | true';

test.for([[["--help"]], [["list"]], [["hub", "--help"]], [["view", run]], [["play", "tictactoe"]]])(
  "envs %j ends quietly when nobody reads what it prints",
  async ([args]) => {
    expect(await envsInShell(unread, args!)).toEqual({ stdout: "", said: "", code: 0 });
  },
);

test("whoever reads the first line gets it", async () => {
  const line = '{ "$@"; echo "ended with $?" >&2; } | head -n 1';
  const { stdout, said, code } = await envsInShell(line, ["play", "tictactoe"]);
  expect({ said, code }).toEqual({ said: "", code: 0 });
  expect(stdout).toMatch(/^tictactoe · .*\n$/);
});

test("a run is saved to its end, and its exit code stays, when nobody reads of it", async () => {
  const outputs = await temporaryFolder();
  const line = '{ { "$@" 2>&1; echo "ended with $?" >&3; } | true; } 3>&2';
  const words = ["eval", "tictactoe", "-m", "policy:random", "-n", "4", "-r", "1"];
  const { said, code } = await envsInShell(line, [...words, "--save", outputs]);
  expect({ said, code }).toEqual({ said: "", code: 0 });
  const [saved = ""] = await findRuns(outputs);
  expect(await readMetadata(saved)).toMatchObject({ is_complete: true });
});

// A device that is always full is part of every Linux.
test.skipIf(process.platform !== "linux")("a full disk is told", async () => {
  const line = '"$@" > /dev/full; echo "ended with $?" >&2';
  const { said, code } = await envsInShell(line, ["list"]);
  expect({ said, code }).toEqual({
    said: expect.stringMatching(/^✗ What is printed cannot be written: ENOSPC.*\n$/),
    code: 1,
  });
});
