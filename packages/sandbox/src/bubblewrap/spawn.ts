import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { existsSync } from "node:fs";
import type { Writable } from "node:stream";

import { childrenOf } from "../time/cpu-time.ts";
import { seccompFilter } from "./seccomp.ts";

/** A process that reaches nothing but what is listed here: no network, no other process, no file of the machine. */
export interface Confinement {
  /** The program and its arguments, as paths inside. */
  readonly command: readonly string[];
  /** Paths that exist inside, read-only: the path on this machine by the path inside. Missing ones are ignored. */
  readonly readOnly: Readonly<Record<string, string>>;
  /** Symbolic links inside: the target by the path. */
  readonly links?: Readonly<Record<string, string>> | undefined;
  /** Folders in memory that code may write, by path, with their sizes in bytes. */
  readonly writable?: Readonly<Record<string, number>> | undefined;
  readonly folder?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether `/proc` and `/dev` exist. */
  readonly system?: boolean | undefined;
  /** Whether processes may start others. */
  readonly forks?: boolean | undefined;
  /** Options of the shell's `ulimit`, such as `{ v: 1024 }`: kilobytes for sizes. */
  readonly ulimits?: Readonly<Record<string, number>> | undefined;
  /** Whether the process runs as `nobody` if this one runs as root: limits on the number of processes do not hold for root. */
  readonly isUnprivileged?: boolean | undefined;
  /** The argument that marks the process in the machine's list of processes. */
  readonly name: string;
}

/** The file descriptors from 0 on. That after the last is bubblewrap's. */
type Descriptors = readonly ("pipe" | "ignore")[];

const nobody = 65_534;

export const marker = "ENVS_SANDBOX";

/** Starts a confined process. It ends with this process, also if this one is killed. */
export function spawnConfined(confinement: Confinement, descriptors: Descriptors): ChildProcess {
  const filter = descriptors.length;
  const { ulimits = {}, forks = false, command } = confinement;
  const limits = Object.entries({ c: 0, ...ulimits }).map(
    ([option, value]) => `ulimit -${option} ${Math.floor(value)} && `,
  );
  const script = `${limits.join("")}exec "$@"`;
  const args = [...bubblewrapArguments(confinement), "--seccomp", String(filter), "--", ...command];
  const stdio: StdioOptions = [...descriptors, "pipe"];
  const isRoot = process.getuid?.() === 0;
  const child = spawn("/bin/sh", ["-c", script, "sh", "bwrap", ...args], {
    stdio,
    env: { PATH: process.env["PATH"] },
    ...(confinement.isUnprivileged === true && isRoot
      ? { uid: nobody, gid: nobody, cwd: "/" }
      : {}),
  });
  const pipe = child.stdio[filter] as Writable;
  // The process may end before it reads the filter.
  pipe.on("error", () => {});
  pipe.end(seccompFilter({ forks }));
  return child;
}

/**
 * Ends a confined process at once. The signal alone is not enough: if bubblewrap ends during its start, the process that it has
 * just created continues.
 */
export function killConfined(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGSTOP");
  for (const inside of childrenOf(pid)) {
    try {
      process.kill(inside, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
  child.kill("SIGKILL");
}

function bubblewrapArguments(confinement: Confinement): readonly string[] {
  const { readOnly, links = {}, writable = {}, environment = {}, system = false } = confinement;
  const variables = { ...environment, [marker]: `${confinement.name}:${process.pid}` };
  const args = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000"];
  args.push("--gid", "1000", "--die-with-parent", "--new-session", "--clearenv");
  args.push("--hostname", "sandbox");
  for (const [name, value] of Object.entries(variables)) args.push("--setenv", name, value);
  if (system) args.push("--proc", "/proc", "--dev", "/dev");
  for (const [inside, path] of Object.entries(readOnly))
    if (existsSync(path)) args.push("--ro-bind", path, inside);
  for (const [path, target] of Object.entries(links)) args.push("--symlink", target, path);
  for (const [path, size] of Object.entries(writable))
    args.push("--size", String(size), "--tmpfs", path);
  // bubblewrap's own root and /dev are in memory too, without a limit.
  if (system) args.push("--remount-ro", "/dev");
  args.push("--remount-ro", "/", "--chdir", confinement.folder ?? "/");
  return args;
}
