import { ConfigError, type Message, textOf } from "@envs/core";

import { machineOf } from "../machine/agent-machine.ts";
import type { ProgramBundle } from "../machine/bundle.ts";
import { machineSite } from "../machine/machine-site.ts";
import type { AgentContext } from "./agent-run.ts";
import { agent, type Agent, type AgentOptions } from "./agent.ts";
import { changesBetween, offerFiles, readFiles } from "./left-files.ts";
import type { ProgramFolders } from "./program-folders.ts";
import { hostSite, type ProgramSite } from "./program-site.ts";

/** The facts on which the arguments, variables and files of a program can depend. */
export interface ProgramContext
  extends Omit<AgentContext, "tools" | "files" | "record">, ProgramFolders {
  /** The number of the observation, from 0. After the first, a program with sessions continues its last one. */
  readonly observation: number;
  /** The messages since the program's last reply, as text. */
  readonly prompt: string;
  /** The URL of an MCP server with the environment's tools: in a machine, without those that programs have themselves. */
  readonly mcpURL: string;
  /** The MCP servers that the program should use, by name: `environment`, if it has tools. */
  readonly mcpServers: Readonly<Record<string, string>>;
  /** Whether the program runs in the machine of its rollout, which the environment offers. */
  readonly isMachine: boolean;
}

/** A program in one seat of a rollout. */
interface ProgramSeat {
  readonly site: Promise<ProgramSite>;
  readonly acp: { sessionId?: string | undefined };
  observations: number;
}

type OrFunction<Value> = Value | ((context: ProgramContext) => Value);

/** What a program left. */
export interface ProgramResult extends ProgramFolders {
  readonly stdout: string;
  /** Reads a file of its home folder, on this computer or in its machine. */
  readonly read: (path: string) => Promise<string>;
}

/** A program that answers episodes. */
export interface AgentProgram extends AgentOptions {
  readonly command: string;
  /** Default: none. */
  readonly args?: OrFunction<readonly string[]> | undefined;
  /** The standard input. Default: the prompt if the program has no `args`, else nothing. */
  readonly input?: ((context: ProgramContext) => string) | undefined;
  /** The program's environment variables, besides those that name the gateway, and PATH or those of its machine. It inherits no others. */
  readonly env?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Files that the program finds in its workspace, by path. Default: none. */
  readonly files?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Files that the program finds in its home folder, by path, such as its configuration. Default: none. */
  readonly homeFiles?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Reads the reply. Default: the standard output. */
  readonly reply?: ((result: ProgramResult) => string | Promise<string>) | undefined;
  /** Whether it speaks the Agent Client Protocol on its standard streams, which replaces `input` and `reply`. */
  readonly acp?: boolean | undefined;
  /** How the program comes into a machine. Default: the image of the machine has the command. */
  readonly bundle?: ProgramBundle | undefined;
  /** The command that installs the program, for the error if it is missing. */
  readonly install?: string | undefined;
}

/**
 * Makes a model of a program. It runs once for each observation, in a folder of its rollout, with the variables that clients of
 * OpenAI, Anthropic and Google read. It is killed, with all processes that it has started, when the rollout or this process ends.
 * In an environment with a machine, it runs there, and the record has the files that it changed.
 */
export function agentProgram(program: AgentProgram): Agent {
  const { command, args, input, env, files: ownFiles, homeFiles, ...others } = program;
  const { reply, install, bundle, acp = false, ...options } = others;
  if (command === "") throw new ConfigError("The command of an agent program is empty.");
  // Each seat of an episode has its own session, and its own folders.
  const rollouts = new WeakMap<AbortSignal, Map<string, ProgramSeat>>();
  const run = async (context: AgentContext): Promise<string> => {
    const { tools, files, record, ...rest } = context;
    const { signal, apiKey } = context;
    const seats = rollouts.get(signal) ?? new Map<string, ProgramSeat>();
    rollouts.set(signal, seats);
    const { machine, modelTools = [] } = machineOf(signal) ?? {};
    const hasTools = Object.keys(tools).some((name) => !modelTools.includes(name));
    const newSite = (): Promise<ProgramSite> =>
      machine === undefined
        ? hostSite(context)
        : machineSite(machine, bundle, { record, signal, seat: seats.size });
    const seat = seats.get(apiKey) ?? { site: newSite(), acp: {}, observations: 0 };
    seats.set(apiKey, seat);
    const observation = seat.observations;
    seat.observations += 1;
    const site = await seat.site;
    const { folders, isMachine } = site;
    const { workspace } = folders;
    const offered = isMachine ? undefined : files;
    const origin = await site.reach(context.origin);
    const mcpURL = `${origin}/mcp${isMachine && modelTools.length > 0 ? `?without=${modelTools.join(",")}` : ""}`;
    const own: ProgramContext = {
      ...rest,
      ...folders,
      origin,
      baseURL: `${origin}/v1`,
      observation,
      prompt: promptOf(context.messages, isMachine),
      mcpURL,
      mcpServers: isMachine && !hasTools ? {} : { environment: mcpURL },
      isMachine,
    };
    if (offered !== undefined) await offerFiles(workspace, await offered.read());
    if (observation === 0) {
      await site.write("workspace", resolve(ownFiles, own) ?? {});
      await site.write("home", resolve(homeFiles, own) ?? {});
    }
    const before = offered && (await readFiles(workspace));
    const standardInput = input ?? (args === undefined ? () => own.prompt : () => "");
    const programRun = {
      command,
      args: resolve(args, own) ?? [],
      signal,
      env: { ...variables(own), ...resolve(env, own) },
      input: standardInput(own),
      install,
    };
    const { playAcp } = acp ? await import("../acp/play-acp.ts") : {};
    const asked = { ...own, record, seat: seat.acp };
    const stdout =
      playAcp === undefined
        ? await site.run(programRun)
        : await site.watch(() => playAcp(site, programRun, asked));
    if (before !== undefined) {
      const changes = changesBetween(before, await readFiles(workspace));
      if (Object.keys(changes).length > 0) await offered!.save(changes);
    }
    return acp || reply === undefined
      ? stdout.trim()
      : reply({ ...folders, stdout, read: site.read });
  };
  return agent(run, { id: command, ...options });
}

function resolve<Value extends object>(
  value: OrFunction<Value> | undefined,
  context: ProgramContext,
): Value | undefined {
  return typeof value === "function" ? value(context) : value;
}

/** The variables that clients of providers read. */
function variables({ origin, baseURL, apiKey }: ProgramContext): Record<string, string> {
  return {
    OPENAI_BASE_URL: baseURL,
    OPENAI_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: apiKey,
    GOOGLE_GEMINI_BASE_URL: origin,
    GEMINI_API_KEY: apiKey,
  };
}

/**
 * Everything since the model's last message: at first, with the system prompt. Without it in a machine, where it would describe tools
 * that the program does not use.
 */
function promptOf(messages: readonly Message[], isMachine: boolean): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .filter(({ role }) => !isMachine || role !== "system")
    .map(({ content }) => textOf(content))
    .join("\n\n");
}
