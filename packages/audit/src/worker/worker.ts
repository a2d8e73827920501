import { type ChildProcess, fork } from "node:child_process";

import type { JudgeModels, Model } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import type { Conversation } from "../conversation.ts";
import { entry } from "../elsewhere/observe-elsewhere.ts";
import type { Notice, Order, Preparation } from "./messages.ts";

/** Why a process gave no answer. */
export interface Breakdown {
  readonly type: "breakdown";
  /** `hang`: the process did not answer in time, and was killed. `crash`: it ended by itself. */
  readonly kind: "hang" | "crash";
  readonly reason: string;
  /** The last conversation before it. */
  readonly conversation: Conversation | undefined;
}

type Answer = Exclude<Notice, { type: "turn" | "question" }> | Breakdown;

export interface WorkerOptions {
  readonly judge: JudgeModels | undefined;
  /** In milliseconds. */
  readonly timeLimit: number;
}

const grace = 3000;
/** The time limit of the preparation, which loads the environment and plays all examples, in limits of a rule. */
const preparationLimits = 5;
const maxErrors = 2000;

/** A process that prepares an environment and applies rules to it, one at a time. */
export class Worker implements Disposable {
  readonly #child: ChildProcess;
  readonly #options: WorkerOptions;
  #lastTurn: Conversation | undefined;
  #errors = "";
  #receive: ((answer: Answer) => void) | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#child = fork(entry("../worker/worker-entry.ts", import.meta.url), {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.on("data", (bytes: Buffer) => {
      this.#errors = (this.#errors + bytes.toString()).slice(-maxErrors);
    });
    this.#child.on("message", (notice: Notice) => this.#notice(notice));
    this.#child.on("error", (error) => this.#end("crash", messageOf(error)));
    this.#child.on("exit", (code, signal) => this.#end("crash", this.#exitReason(code, signal)));
  }

  prepare(preparation: Preparation): Promise<Answer> {
    const timeLimit = preparationLimits * this.#options.timeLimit;
    return this.#ask({ type: "prepare", preparation }, timeLimit);
  }

  check(rule: string): Promise<Answer> {
    return this.#ask({ type: "check", rule }, this.#options.timeLimit);
  }

  [Symbol.dispose](): void {
    this.#receive = undefined;
    this.#child.kill("SIGKILL");
  }

  /** Sends an order. At the time limit it asks the process to stop, and kills it if it does not. */
  async #ask(order: Order, timeLimit: number): Promise<Answer> {
    const seconds = Math.round(timeLimit / 1000);
    const abort = setTimeout(() => this.#send({ type: "abort" }), timeLimit);
    const kill = setTimeout(
      () =>
        this.#end("hang", `the process did not answer for ${seconds} seconds, so it was killed`),
      timeLimit + grace,
    );
    try {
      return await new Promise<Answer>((resolve) => {
        this.#receive = resolve;
        this.#send(order);
      });
    } finally {
      clearTimeout(abort);
      clearTimeout(kill);
    }
  }

  #send(order: Order): void {
    // The listener of `exit` reports a process that has ended.
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }

  #notice(notice: Notice): void {
    if (notice.type === "turn") this.#lastTurn = notice.conversation;
    else if (notice.type === "question") void this.#answer(notice);
    else this.#receive?.(notice);
  }

  async #answer({ id, request }: Extract<Notice, { type: "question" }>): Promise<void> {
    const [judge] = [this.#options.judge].flat() as readonly (Model | undefined)[];
    try {
      const response = await judge?.({ ...request, signal: AbortSignal.timeout(300_000) });
      this.#send({ type: "answer", id, response, problem: "No judge was passed." });
    } catch (error) {
      this.#send({ type: "answer", id, problem: messageOf(error) });
    }
  }

  #end(kind: Breakdown["kind"], reason: string): void {
    this.#receive?.({ type: "breakdown", kind, reason, conversation: this.#lastTurn });
    this[Symbol.dispose]();
  }

  #exitReason(code: number | null, signal: NodeJS.Signals | null): string {
    const last = this.#errors
      .trim()
      .split("\n")
      .findLast((line) => /error/i.test(line));
    return `the process ended with ${signal ?? `the code ${code}`}${last === undefined ? "" : `: ${last.trim()}`}`;
  }
}
