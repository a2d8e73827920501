import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";

import type { Command, ExecOptions, ExecResult } from "../machine.ts";
import type { Box, BoxCommand } from "./box.ts";
import { Capture } from "./capture.ts";

/** The variable that marks the processes of a command, those in the background too. */
const marker = "ENVS_MACHINE_EXEC";
/** Kills every process whose environment has the marker, again until none is left: one may have started another meanwhile. */
const killScript = `i=0; while [ $i -lt 20 ]; do i=$((i + 1)); left=
for p in /proc/[0-9]*; do
  if grep -q "$1" "$p/environ" 2>/dev/null; then kill -9 "\${p#/proc/}" 2>/dev/null && left=1; fi
done; [ -n "$left" ] || exit 0; done`;
const killTimeoutMs = 5_000;
const killed = 137;

/** The program and arguments of a command. */
export function argvOf(command: Command): readonly string[] {
  return typeof command === "string" ? ["sh", "-c", command] : command;
}

/** A command as root without input, whose output is collected. */
export async function runAsRoot(box: Box, argv: readonly string[], stdin = ""): Promise<string> {
  const output = new Capture(4096);
  const exitCode = await box.run({
    argv,
    user: "0:0",
    env: {},
    cwd: "/",
    stdin: Buffer.from(stdin),
    onOutput: (_, data) => output.write(data),
  });
  if (exitCode !== 0)
    throw new Error(
      `${argv.slice(0, 3).join(" ")} exited with ${exitCode}: ${output.text.trim() || "no output"}`,
    );
  return output.text;
}

/** Runs a command to its end, its time limit or an abort. */
export async function runCommand(
  box: Box,
  command: Command,
  options: ExecOptions,
): Promise<ExecResult> {
  const { user, env = {}, cwd, stdin = "", timeoutMs, signal, onOutput } = options;
  signal?.throwIfAborted();
  const id = `${marker}=${randomUUID()}`;
  const { maxOutputBytes = 2 ** 20 } = options;
  const captures = { stdout: new Capture(maxOutputBytes), stderr: new Capture(maxOutputBytes) };
  let timedOut = false;
  let stop!: (code: number) => void;
  const stopped = new Promise<number>((resolve) => (stop = resolve));
  let isOver = false;
  const boxCommand: BoxCommand = {
    argv: argvOf(command),
    user,
    cwd,
    stdin: stdin instanceof Readable ? stdin : Buffer.from(stdin as string),
    env: {
      ...env,
      [marker]: id.slice(marker.length + 1),
    },
    onOutput: (stream, data) => {
      if (isOver) return;
      captures[stream].write(data);
      onOutput?.(stream, data);
    },
  };
  const end = (): void => {
    const kill = runAsRoot(box, ["sh", "-c", killScript, "sh", id]).catch(() => {});
    const timer = setTimeout(() => stop(killed), killTimeoutMs);
    void kill.then(() => {
      clearTimeout(timer);
      stop(killed);
    });
  };
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          end();
        }, timeoutMs);
  signal?.addEventListener("abort", end, { once: true });
  try {
    const code = await Promise.race([box.run(boxCommand), stopped]);
    signal?.throwIfAborted();
    return {
      exitCode: timedOut ? killed : code,
      stdout: captures.stdout.text,
      stderr: captures.stderr.text,
      timedOut,
      truncated: captures.stdout.truncated || captures.stderr.truncated,
    };
  } finally {
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
