import { posix } from "node:path";

import { RolloutError } from "@envs/core";

import type { AgentContext } from "../agent/agent-run.ts";
import type { ProgramRun, ProgramSite } from "../agent/program-site.ts";
import { type AgentComputer, machineOf } from "./agent-machine.ts";
import { carryIn, type ProgramBundle } from "./bundle.ts";
import { changesBetween, snapshotOf } from "./changed-files.ts";

const maxOutput = 8 * 2 ** 20;
const maxErrors = 64 * 2 ** 20;
const homes = "/opt/envs/homes";

type SiteContext = Pick<AgentContext, "record" | "signal"> & {
  /** The number of the seat. */
  readonly seat: number;
};

/** The machine of a rollout as the place of its program. Its home keeps only the program's configuration; `HOME` is the user's. */
export async function machineSite(
  machine: AgentComputer,
  bundle: ProgramBundle | undefined,
  { record, signal, seat }: SiteContext,
): Promise<ProgramSite> {
  const workspace = (await machine.exec("pwd")).stdout.trim() || "/";
  const folders = { workspace, home: `${homes}/${seat}` };
  const { home } = folders;
  const user = machineOf(signal)?.user;
  const asked = await machine.exec('echo "$(id -u):$(id -g)"; [ -d "$HOME" ] || echo none', {
    user,
  });
  const [owner = "", missing] = asked.stdout.trim().split("\n");
  const homeless: Readonly<Record<string, string>> = missing === undefined ? {} : { HOME: home };
  const writeFiles: ProgramSite["write"] = async (folder, files) => {
    for (const [path, content] of Object.entries(files))
      await machine.write(posix.join(folders[folder], path), content);
    if (folder === "workspace") return;
    // The program writes its sessions into its home.
    const script = `mkdir -p ${home} && chown -R ${owner} ${home}`;
    const { exitCode, stderr } = await machine.exec(script, { user: "root" });
    if (exitCode !== 0)
      throw new RolloutError("agent", `The program has no home folder: ${stderr.trim()}`);
  };
  const site: ProgramSite = {
    folders,
    isMachine: true,
    reach: (origin) => machine.forward(origin),
    write: writeFiles,
    read: async (path) =>
      Buffer.from(await machine.read(posix.join(home, path), { maxBytes: maxOutput })).toString(),
    run: (run) =>
      site.watch(async () => {
        const env = { ...homeless, ...run.env };
        return runInside(machine, await site.argvOf(run), { ...run, env }, record);
      }),
    argvOf: async ({ command, args }) => [
      ...(bundle === undefined ? [command] : await carryIn(machine, bundle)),
      ...args,
    ],
    command: (argv, { env, ...settings }) => {
      const current = machineOf(signal);
      return machine.exec(argv, {
        ...settings,
        env: { ...homeless, ...env },
        user: current?.user,
        timeoutMs: current?.millisecondsLeft,
        // Callers read the output as it comes.
        maxOutputBytes: 2,
      });
    },
    async watch(work) {
      const before = await snapshotOf(machine, workspace);
      const reply = await work();
      const changes = changesBetween(before, await snapshotOf(machine, workspace));
      if (changes !== "") record("files", changes);
      return reply;
    },
  };
  return site;
}

/** Runs a program for as long as the agent's time lasts. A program that time ends has replied with what it wrote. */
async function runInside(
  machine: AgentComputer,
  argv: readonly string[],
  { command, env, input, signal }: ProgramRun,
  record: AgentContext["record"],
): Promise<string> {
  const tooMuch = new AbortController();
  const left = { stdout: maxOutput, stderr: maxErrors };
  const current = machineOf(signal);
  try {
    const { exitCode, stdout, stderr, timedOut } = await machine.exec(argv, {
      user: current?.user,
      env,
      stdin: input,
      timeoutMs: current?.millisecondsLeft,
      // Half of it is the end of the output, which is never needed: longer output is an error.
      maxOutputBytes: 2 * maxOutput,
      signal: AbortSignal.any([signal, tooMuch.signal]),
      onOutput: (stream, data) => {
        left[stream] -= data.length;
        if (left[stream] < 0)
          tooMuch.abort(
            new RolloutError("agent", `${command} wrote too much to its ${stream}; it was ended.`),
          );
      },
    });
    if (timedOut) {
      record("limit", `${command} was ended: the time of the agent is over.`);
      return stdout;
    }
    if (exitCode === 0) return stdout;
    const detail = (stderr.trim() || stdout.trim()).slice(-2_000) || "It wrote nothing.";
    throw new RolloutError("agent", `${command} exited with code ${exitCode}. ${detail}`);
  } catch (error) {
    signal.throwIfAborted();
    tooMuch.signal.throwIfAborted();
    throw error;
  }
}
