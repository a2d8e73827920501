import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { ConfigError, type Message, RolloutError, text } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { unwatchGroup, watchGroup } from "@envs/core/node";

import type { AgentContext } from "./agent-run.ts";
import { agent, type Agent, type AgentOptions } from "./agent.ts";

/** What the arguments, variables and files of a program can depend on. */
export interface ProgramContext extends Omit<AgentContext, "tools"> {
  /** The messages since the program's last reply, as text. */
  readonly prompt: string;
  /** The folder in which the program runs. */
  readonly workspace: string;
  /** The URL of an MCP server with the environment's tools. */
  readonly mcpURL: string;
}

type OrFunction<Value> = Value | ((context: ProgramContext) => Value);

/** A program that answers episodes. */
export interface AgentProgram extends AgentOptions {
  readonly command: string;
  /** Default: the prompt is the standard input. */
  readonly args?: OrFunction<readonly string[]> | undefined;
  /** Its variables, beside the path and those that name the gateway. It inherits no others. */
  readonly env?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Files that it finds in its folder, by path. Default: none. */
  readonly files?: OrFunction<Readonly<Record<string, string>>> | undefined;
  /** Reads the reply. Default: the standard output. */
  readonly reply?:
    | ((result: {
        readonly stdout: string;
        readonly workspace: string;
      }) => string | Promise<string>)
    | undefined;
}

const maxOutput = 8 * 2 ** 20;
const stderrTail = 2_000;

/**
 * Makes a model of a program. It runs once for each observation, in a folder of its rollout, with the variables that clients of
 * OpenAI, Anthropic and Google read. It is killed with all that it has started when the rollout ends, and when this process is.
 */
export function agentProgram(program: AgentProgram): Agent {
  const { command, args, env, files, reply, ...options } = program;
  if (command === "") throw new ConfigError("The command of an agent program is empty.");
  const workspaces = new WeakMap<AbortSignal, Promise<string>>();
  const run = async (context: AgentContext): Promise<string> => {
    const { tools: _, ...rest } = context;
    let workspace = workspaces.get(context.signal);
    const isNew = workspace === undefined;
    if (workspace === undefined)
      workspaces.set(context.signal, (workspace = makeWorkspace(context.signal)));
    const folder = await workspace;
    const mcpURL = `${context.origin}/mcp`;
    const own = { ...rest, prompt: promptOf(context.messages), workspace: folder, mcpURL };
    if (isNew) await writeFiles(folder, resolve(files, own) ?? {});
    const stdout = await runProgram(command, resolve(args, own) ?? [], {
      context: own,
      env: { ...variables(own), ...resolve(env, own) },
      input: args === undefined ? own.prompt : "",
    });
    return reply === undefined ? stdout.trim() : reply({ stdout, workspace: folder });
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
function variables({ origin, baseURL, apiKey, workspace }: ProgramContext): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: workspace,
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
    .map(({ content }) => text(content))
    .join("\n\n");
}

async function makeWorkspace(signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-agent-"));
  const remove = (): void => {
    // A program that is being killed may still write. The system removes remaining files of this folder.
    rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(
      () => undefined,
    );
  };
  if (signal.aborted) remove();
  else signal.addEventListener("abort", remove, { once: true });
  return folder;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    if (relative(folder, target).startsWith(".."))
      throw new RolloutError(
        "agent",
        `The file ${path} is outside of the workspace. Use a path below it.`,
      );
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
}

interface RunOptions {
  readonly context: ProgramContext;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

async function runProgram(
  command: string,
  args: readonly string[],
  { context: { workspace, signal }, env, input }: RunOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(command, [...args], { cwd: workspace, env, stdio: "pipe", detached: true });
  const kill = (): void => killGroup(child.pid);
  signal.addEventListener("abort", kill, { once: true });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    if (stdout.length > maxOutput) kill();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(-stderrTail);
  });
  // A program may end before it has read its input.
  child.stdin.on("error", () => undefined);
  try {
    const started = once(child, "spawn");
    const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    closed.catch(() => undefined);
    await started;
    watchGroup(child.pid!);
    child.stdin.end(input);
    const [code, killedBy] = await closed;
    signal.throwIfAborted();
    if (stdout.length > maxOutput)
      throw new RolloutError("agent", `${command} wrote more than ${maxOutput} characters.`);
    if (code === 0) return stdout;
    const end = killedBy === null ? `exited with code ${code}` : `was killed by ${killedBy}`;
    const detail =
      stderr.trim() === "" ? "It wrote no error." : `Its last errors: ${stderr.trim()}`;
    throw new RolloutError("agent", `${command} ${end}. ${detail}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RolloutError) throw error;
    throw new RolloutError(
      "agent",
      `${command} could not start (${messageOf(error)}). Check that it is installed, and on the PATH.`,
      { cause: error, isFatal: true },
    );
  } finally {
    signal.removeEventListener("abort", kill);
    // What the program started ends with it.
    kill();
    if (child.pid !== undefined) unwatchGroup(child.pid);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Every process of the group has ended.
  }
}
