import type { Readable } from "node:stream";

/** The end of a command in a machine. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface CommandOptions {
  readonly user?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly stdin?: string | Uint8Array | Readable | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly onOutput?: ((stream: "stdout" | "stderr", data: Uint8Array) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What agents need of a machine; those of `@envs/machine` have it. */
export interface AgentComputer {
  readonly exec: (
    command: string | readonly string[],
    options?: CommandOptions,
  ) => Promise<CommandResult>;
  readonly copyIn: (source: string, path: string) => Promise<void>;
  readonly write: (path: string, content: string) => Promise<void>;
  readonly read: (path: string, options?: { readonly maxBytes?: number }) => Promise<Uint8Array>;
  readonly copyOut: (
    path: string,
    target: string,
    options?: { readonly maxBytes?: number },
  ) => Promise<unknown>;
  /** Makes a server of this computer reachable inside, and resolves to its address there. */
  readonly forward: (origin: string) => Promise<string>;
}

/** The machine of a rollout, in which its agent program runs. */
export interface AgentMachine {
  readonly machine: AgentComputer;
  /** The user of the agent. Default: that of the machine. */
  readonly user?: string | undefined;
  /** The environment's tools that are for models: programs in the machine have better ones. Default: none. */
  readonly modelTools?: readonly string[] | undefined;
  /** The rest of the agent's time; `undefined` without a limit. */
  readonly millisecondsLeft?: number | undefined;
}

const machines = new WeakMap<AbortSignal, () => AgentMachine>();

/**
 * Lets agent programs of a rollout run in its machine instead of on this computer. `signal` is that of `setup`, which agents of the same
 * rollout receive; `current` is called before each run of a program.
 */
export function offerMachine(signal: AbortSignal, current: () => AgentMachine): void {
  machines.set(signal, current);
}

/** The machine that the environment offers to the agent with this signal; `undefined` if it offers none. */
export function machineOf(signal: AbortSignal): AgentMachine | undefined {
  return machines.get(signal)?.();
}
