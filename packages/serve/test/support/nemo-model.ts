import doubleCheck from "@envs/double-check";
import { expect } from "vitest";

import { answering, message, type nemoClient, rowOf } from "./nemo-client.ts";
import { playCore } from "./play-core.ts";

/** What an agent may do in the environment `double-check`: two replies, and its episode is over. */
export type Action =
  | { readonly do: "seed_session" | "reset"; readonly index: number }
  | { readonly do: "respond" | "step" | "verify"; readonly text: string }
  | { readonly do: "close" | "forget" | "missing" };

const isOver = "The episode is over.";
const refusals = { none: 409, closed: 410 } as const;

/** What is known of a server from what an agent did, and nothing else: does it, and checks the answer. */
export class NemoModel {
  readonly #agent: ReturnType<typeof nemoClient>;
  #state: "none" | "open" | "told" | "closed" = "none";
  #index = 0;
  #replies: string[] = [];

  constructor(agent: ReturnType<typeof nemoClient>) {
    this.#agent = agent;
  }

  async check(action: Action): Promise<void> {
    switch (action.do) {
      case "seed_session":
      case "reset": {
        const { status } = await this.#agent.post(action.do, rowOf(action.index));
        expect(status).toBe(200);
        [this.#state, this.#index, this.#replies] = ["open", action.index, []];
        return;
      }
      case "close":
        expect((await this.#agent.post("close")).json).toEqual({});
        if (this.#state === "open") this.#state = "closed";
        return;
      case "forget":
        this.#agent.setCookie(undefined);
        this.#state = "none";
        return;
      case "missing":
        expect((await this.#agent.post("missing")).status).toBe(404);
        return;
      case "respond":
        return this.#respond(action.text);
      case "step":
        return this.#step(action.text);
      case "verify":
        return this.#verify(action.text);
    }
  }

  async #respond(text: string): Promise<void> {
    const answer = await this.#agent.post("respond", { text });
    if (this.#isRefused(answer)) return;
    const before = this.#replies.length;
    this.#say(text);
    const isFirst = this.#state === "open" && before === 0;
    expect(answer.text).toBe(isFirst ? "Are you sure?" : isOver);
  }

  async #step(text: string): Promise<void> {
    const answer = await this.#agent.post("step", answering(rowOf(this.#index), message(text)));
    if (this.#isRefused(answer)) return;
    const wasTold = this.#state === "told";
    this.#say(text);
    if (this.#state === "open" && this.#replies.length < 2) {
      const going = {
        observation: "Are you sure?",
        reward: 0,
        terminated: false,
        truncated: false,
      };
      expect(answer.json).toMatchObject(going);
      return;
    }
    this.#state = "told";
    const { reward, isTruncated, scores } = await this.#outcome();
    expect(answer.json).toMatchObject({
      observation: null,
      reward: wasTold ? 0 : reward,
      terminated: !isTruncated,
      truncated: isTruncated,
      info: { scores },
    });
  }

  async #verify(text: string): Promise<void> {
    const sent = answering(rowOf(this.#index), message(text));
    const answer = await this.#agent.post("verify", sent);
    if (this.#isRefused(answer)) return;
    this.#say(text);
    this.#state = "told";
    const { reward, isTruncated, scores } = await this.#outcome();
    expect(answer.json).toMatchObject({ ...sent, ...scores, reward, is_truncated: isTruncated });
  }

  #isRefused({ status }: { readonly status: number }): boolean {
    const refusal = this.#state in refusals ? refusals[this.#state as "none" | "closed"] : 200;
    expect(status).toBe(refusal);
    return refusal !== 200;
  }

  #say(text: string): void {
    if (this.#state === "open" && this.#replies.length < 2) this.#replies.push(text);
  }

  async #outcome() {
    const { reward, scores } = await playCore(doubleCheck(), { index: this.#index }, this.#replies);
    return { reward, scores, isTruncated: this.#replies.length < 2 };
  }
}
