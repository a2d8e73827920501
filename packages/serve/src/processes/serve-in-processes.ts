import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { pino } from "pino";

import type { EnvironmentServer } from "../environment-server.ts";
import type { EnvironmentReference } from "../host/environment-reference.ts";
import { localCounter } from "../host/tasks.ts";
import type { ServerStatus } from "../http/status-routes.ts";
import { listenOptions, urlOf } from "../listen-address.ts";
import type { ServeOptions } from "../options.ts";
import type { CallName, PrimaryCalls, ProcessMessage } from "./messages.ts";
import { ProcessPool } from "./process-pool.ts";
import { serializeError } from "./serialized-error.ts";
import type { ServerProcess } from "./server-process.ts";
import { SessionDirectory } from "./session-directory.ts";

const defaultStepTimeoutMs = 120_000;
const maxTimerMs = 2 ** 31 - 1;

/**
 * Serves environments in several processes, each with its own connections and episodes. This process accepts connections
 * and hands them over, knows which process has which session, and replaces processes. It never runs an environment.
 */
export async function serveInProcesses(
  references: readonly EnvironmentReference[],
  options: ServeOptions,
  count: number,
): Promise<EnvironmentServer> {
  const { stepTimeout = defaultStepTimeoutMs, drain = 0, isLogging = false } = options;
  const log = pino({ level: isLogging ? "warn" : "silent" }, pino.destination(2));
  const folder = await mkdtemp(join(tmpdir(), "envs-serve-"));
  // A second SIGTERM ends this process without `close`.
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  const primary = new Primary(options);
  try {
    const pool = await ProcessPool.start({
      references,
      options: {
        ...options,
        incomingBytes: shareOf(options.incomingBytes, count),
        ...judgeShare(options, count),
        subModelConcurrency: Math.ceil((options.subModelConcurrency ?? 32) / count),
      },
      count,
      folder,
      beatMs: Math.min(stepTimeout / 10, 1000),
      hangTimeoutMs: stepTimeout,
      onMessage: (process, message) => primary.answer(process, message),
      onEnd: (process, cause) => {
        primary.directory.lose(process);
        // Until all processes are ready, the caller receives the error.
        const isStarting = primary.pool === undefined;
        if (!isStarting && !primary.directory.isDraining)
          log.error({ err: cause }, "A process ended.");
      },
    });
    primary.pool = pool;
    const listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
      pool.connect(socket),
    );
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> =>
      (closing ??= (async () => {
        primary.directory.drain();
        await pool.close(drain);
        listener.close();
        process.off("exit", removeFolder);
        removeFolder();
      })());
    try {
      await new Promise<void>((resolve, reject) => {
        listener.once("error", reject).listen(listenOptions(options), resolve);
      });
    } catch (error) {
      await pool.kill();
      throw error;
    }
    return {
      url: urlOf(listener.address() as AddressInfo),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    process.off("exit", removeFolder);
    removeFolder();
    throw error;
  }
}

/** Answers the questions of processes. */
class Primary {
  readonly #maxSessions: number;
  readonly #nextTask = localCounter();
  readonly directory: SessionDirectory;
  pool: ProcessPool | undefined;

  constructor({ sessions = 4096 }: ServeOptions) {
    this.#maxSessions = sessions;
    this.directory = new SessionDirectory(sessions);
  }

  answer(process: ServerProcess, message: ProcessMessage): void {
    if (message.kind === "remove") this.directory.remove(message.session);
    if (message.kind !== "call") return;
    const { id, name, argument } = message;
    try {
      process.send({ kind: "result", id, result: this.#call(process, name, argument ?? "") });
    } catch (error) {
      process.send({ kind: "error", id, error: serializeError(error) });
    }
  }

  #call(
    process: ServerProcess,
    name: CallName,
    argument: string,
  ): ReturnType<PrimaryCalls[CallName]> {
    switch (name) {
      case "add":
        this.directory.add(argument, process);
        return null;
      case "locate":
        return this.directory.locate(argument, process);
      case "claim":
        return this.directory.claim(argument, process);
      case "nextTask":
        return this.#nextTask(argument);
      case "status":
        return this.#status();
    }
  }

  #status(): ServerStatus {
    const ready = this.pool?.ready ?? [];
    const blocked = ready.filter(({ isBlocked }) => isBlocked);
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    const stuckInBlocked = blocked.map((process) => this.directory.countOf(process));
    return {
      isDraining: this.directory.isDraining,
      sessions: {
        open: this.directory.count,
        max: this.#maxSessions,
        busy: sum(ready.map(({ state }) => state.busy)),
        stuck: sum([
          ...ready.filter(({ isBlocked }) => !isBlocked).map(({ state }) => state.stuck),
          ...stuckInBlocked,
        ]),
      },
      timeouts: this.pool?.timeouts ?? 0,
      processes: {
        ready: ready.length,
        blocked: blocked.length,
        killed: this.pool?.killed ?? 0,
        crashed: this.pool?.crashed ?? 0,
      },
    };
  }
}

/** The limits of the judge in one process. Messages between processes are JSON, which has no functions and no Infinity. */
function judgeShare({ judgeConcurrency = 32, judgeTimeout }: ServeOptions, count: number) {
  return {
    judgeConcurrency: Math.ceil(judgeConcurrency / count),
    judgeTimeout: judgeTimeout === Infinity ? maxTimerMs : judgeTimeout,
    judgeStore: undefined,
  };
}

/** The share of one process in the incoming bytes: at least one large frame. */
function shareOf(incomingBytes = 512 * 2 ** 20, count: number): number {
  return Math.max(incomingBytes / count, Math.min(incomingBytes, 128 * 2 ** 20));
}
