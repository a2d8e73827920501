import { ConfigError, type Message, textOf } from "@envs/core";

import type { AgentContext } from "./agent-run.ts";
import { agent, type Agent, type AgentOptions } from "./agent.ts";
import { changesBetween, offerFiles, readFiles } from "./left-files.ts";
import { makeFolders, type ProgramFolders, writeFiles } from "./program-folders.ts";
import { runProgram } from "./run-program.ts";

/** The facts on which the arguments, variables and files of a program can depend. */
export interface ProgramContext extends Omit<AgentContext, "tools" | "files">, ProgramFolders {
  /** The number of the observation, from 0. After the first, a program with sessions continues its last one. */
  readonly observation: number;
  /** The messages since the program's last reply, as text. */
  readonly prompt: string;
  /** The URL of an MCP server with the environment's tools. */
  readonly mcpURL: string;
}

/** A program in one seat of a rollout. */
interface ProgramSeat {
  readonly folders: Promise<ProgramFolders>;
  observations: number;
}

type OrFunction<Value> = Value | ((context: ProgramContext) => Value);

/** A program that answers episodes. */
export interface AgentProgram extends AgentOptions {
  readonly command: string;
  /** Default: none. */
  readonly args?: OrFunction<readonly string[]> | undefined;
  /** The standard input. Default: the prompt if the program has no `args`, else nothing. */
  readonly input?: ((context: ProgramContext) => string) | undefined;
  /** The program's environment variables, besides PATH and those that name the gateway. It inherits no others. */
  readonly env?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Files that the program finds in its workspace, by path. Default: none. */
  readonly files?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Files that the program finds in its home folder, by path, such as its configuration. Default: none. */
  readonly homeFiles?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Reads the reply. Default: the standard output. */
  readonly reply?:
    | ((result: ProgramFolders & { readonly stdout: string }) => string | Promise<string>)
    | undefined;
  /** The command that installs the program, for the error if it is missing. */
  readonly install?: string | undefined;
}

/**
 * Makes a model of a program. It runs once for each observation, in a folder of its rollout, with the variables that clients of
 * OpenAI, Anthropic and Google read. It is killed, with all processes that it has started, when the rollout or this process ends.
 */
export function agentProgram(program: AgentProgram): Agent {
  const { command, args, input, env, files, homeFiles, reply, install, ...options } = program;
  if (command === "") throw new ConfigError("The command of an agent program is empty.");
  // Each seat of an episode has its own session, and its own folders.
  const rollouts = new WeakMap<AbortSignal, Map<string, ProgramSeat>>();
  const run = async (context: AgentContext): Promise<string> => {
    const { tools: _, files: offered, ...rest } = context;
    const { signal, apiKey, session } = context;
    const seats = rollouts.get(signal) ?? new Map<string, ProgramSeat>();
    rollouts.set(signal, seats);
    const seat = seats.get(apiKey) ?? { folders: makeFolders(session, signal), observations: 0 };
    seats.set(apiKey, seat);
    const observation = seat.observations;
    seat.observations += 1;
    const { workspace, home } = await seat.folders;
    const own = {
      ...rest,
      observation,
      prompt: promptOf(context.messages),
      mcpURL: `${context.origin}/mcp`,
      workspace,
      home,
    };
    if (offered !== undefined) await offerFiles(workspace, await offered.read());
    if (observation === 0) {
      await writeFiles(workspace, resolve(files, own) ?? {});
      await writeFiles(home, resolve(homeFiles, own) ?? {});
    }
    const before = offered && (await readFiles(workspace));
    const standardInput = input ?? (args === undefined ? () => own.prompt : () => "");
    const stdout = await runProgram(command, resolve(args, own) ?? [], {
      workspace,
      signal,
      env: { ...variables(own), ...resolve(env, own) },
      input: standardInput(own),
      install,
    });
    if (before !== undefined) {
      const changes = changesBetween(before, await readFiles(workspace));
      if (Object.keys(changes).length > 0) await offered!.save(changes);
    }
    return reply === undefined ? stdout.trim() : reply({ stdout, workspace, home });
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
function variables({ origin, baseURL, apiKey, home }: ProgramContext): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    OPENAI_BASE_URL: baseURL,
    OPENAI_API_KEY: apiKey,
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: apiKey,
    GOOGLE_GEMINI_BASE_URL: origin,
    GEMINI_API_KEY: apiKey,
  };
}

/** Everything since the model's last message: at first, with the system prompt. */
function promptOf(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .map(({ content }) => textOf(content))
    .join("\n\n");
}
