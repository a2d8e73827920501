import doubleCheck from "@envs/double-check";
import { expect } from "vitest";

import { rowWithOutput, message, type nemoClient, rowOf } from "./nemo-client.ts";
import { playCore } from "./play-core.ts";

/** An agent's action in the environment `double-check`, whose episodes end after two replies. */
export type AgentAction =
  | { readonly do: "seed_session" | "reset"; readonly index: number }
  | { readonly do: "respond" | "step" | "verify"; readonly text: string }
  | { readonly do: "close" | "drop cookie" | "missing" };

const episodeOver = "The episode is over.";
const errorStatus = { none: 409, closed: 410 } as const;

/** A model of the server. Executes an agent's actions, and checks each response against the model. */
export class NemoModel {
  readonly #agent: ReturnType<typeof nemoClient>;
  #state: "none" | "open" | "done" | "closed" = "none";
  #index = 0;
  #replies: string[] = [];

  constructor(agent: ReturnType<typeof nemoClient>) {
    this.#agent = agent;
  }

  async check(action: AgentAction): Promise<void> {
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
      case "drop cookie":
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
    const response = await this.#agent.post("respond", { text });
    if (this.#isRejected(response)) return;
    const replyCount = this.#replies.length;
    this.#addReply(text);
    const isFirst = this.#state === "open" && replyCount === 0;
    expect(response.text).toBe(isFirst ? "Are you sure?" : episodeOver);
  }

  async #step(text: string): Promise<void> {
    const response = await this.#agent.post(
      "step",
      rowWithOutput(rowOf(this.#index), message(text)),
    );
    if (this.#isRejected(response)) return;
    const wasDone = this.#state === "done";
    this.#addReply(text);
    if (this.#state === "open" && this.#replies.length < 2) {
      const observation = {
        observation: "Are you sure?",
        reward: 0,
        terminated: false,
        truncated: false,
      };
      expect(response.json).toMatchObject(observation);
      return;
    }
    this.#state = "done";
    const { reward, isTruncated, scores } = await this.#outcome();
    expect(response.json).toMatchObject({
      observation: null,
      reward: wasDone ? 0 : reward,
      terminated: !isTruncated,
      truncated: isTruncated,
      info: { scores },
    });
  }

  async #verify(text: string): Promise<void> {
    const body = rowWithOutput(rowOf(this.#index), message(text));
    const response = await this.#agent.post("verify", body);
    if (this.#isRejected(response)) return;
    this.#addReply(text);
    this.#state = "done";
    const { reward, isTruncated, scores } = await this.#outcome();
    expect(response.json).toMatchObject({ ...body, ...scores, reward, is_truncated: isTruncated });
  }

  #isRejected({ status }: { readonly status: number }): boolean {
    const expected =
      this.#state in errorStatus ? errorStatus[this.#state as "none" | "closed"] : 200;
    expect(status).toBe(expected);
    return expected !== 200;
  }

  #addReply(text: string): void {
    if (this.#state === "open" && this.#replies.length < 2) this.#replies.push(text);
  }

  async #outcome() {
    const { reward, scores } = await playCore(doubleCheck(), { index: this.#index }, this.#replies);
    return { reward, scores, isTruncated: this.#replies.length < 2 };
  }
}
