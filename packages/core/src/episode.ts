import type { EpisodeContext } from "./context.ts";
import type { AnyDefinition, Environment } from "./environment.ts";
import { boundary } from "./errors.ts";
import type { Example } from "./example.ts";
import { maxTurnsOf, modelCheck, openingOf, toolSpecsOf } from "./inspect.ts";
import { contentHash } from "./json.ts";
import {
  asMessages,
  assistant,
  lastReply,
  type AssistantMessage,
  type Message,
  type ToolCall,
  user,
} from "./message.ts";
import type { ToolSpec } from "./model.ts";
import { askerOf, type Opponent } from "./opponent.ts";
import { unknownPolicy } from "./policy.ts";
import { random, type Seed } from "./random.ts";
import type { ScoreContext, ScoreResult } from "./rubric.ts";
import { createMemo, scoreGroup } from "./scoring.ts";
import { end, heldCondition, isEnd, isLimit, type StopReason } from "./stop.ts";
import { runTool, toolMessage } from "./tool.ts";

/** What an episode says after a step. */
export interface Observation {
  /** What came after the model's message: answers of the environment and of tools. */
  readonly messages: readonly Message[];
  readonly isDone: boolean;
  readonly stopReason: StopReason | undefined;
}

export interface EpisodeOptions {
  /** The run's seed. Default 0. Together with the example it decides all randomness of the environment. */
  readonly seed?: Seed;
  /** The example's key in its dataset. Default: its `id` or content hash. */
  readonly key?: string;
  /** A limit below the environment's own `maxTurns`. */
  readonly maxTurns?: number;
  /** Plays the environment's other side. Default: the environment itself. Only where its definition has `opponent`. */
  readonly opponent?: Opponent;
  readonly signal?: AbortSignal;
}

/** Prepares an episode of an example. Nothing runs before `start`. */
export function episode<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  example: E,
  options: EpisodeOptions = {},
): Episode<State, Name> {
  return new Episode<State, Name>(environment, example, options);
}

/** Scores finished episodes of one example together: a result or an error for each, in order. */
export function scoreEpisodes(
  environment: Environment,
  episodes: readonly Episode[],
): Promise<readonly (ScoreResult | Error)[]> {
  return scoreGroup(
    environment.definition,
    episodes.map((each) => each.scoreContext()),
  );
}

const never = new AbortController().signal;

/**
 * One running instance of an example. It never calls a model: whoever drives it calls `start`, then `step` with each
 * message of the model until the observation is done, then `score` and `close`. The same environment, config, example,
 * seed and messages (and answers of an opponent) always lead to the same place: it is resumed by stepping it again.
 */
export class Episode<State = unknown, Name extends string = string> {
  readonly key: string;
  /** The whole conversation, prompt included; it grows. */
  readonly messages: Message[];
  readonly tools: readonly ToolSpec[];
  stopReason: StopReason | undefined;
  readonly #environment: Environment;
  readonly #definition: AnyDefinition;
  readonly #promptLength: number;
  readonly #maxTurns: number;
  readonly #context: Writable<EpisodeContext<never, never, unknown>>;
  #isTruncated = false;
  #isBusy = false;
  #isStarted = false;
  #isOpen = false;
  #isClosed = false;

  constructor(environment: Environment, example: Example, options: EpisodeOptions) {
    const { definition, config } = environment;
    this.#environment = environment;
    this.#definition = definition;
    this.key = options.key ?? example.id ?? contentHash(example);
    this.#maxTurns = Math.min(maxTurnsOf(environment), options.maxTurns ?? Infinity);
    this.messages = openingOf(environment, example);
    this.#promptLength = this.messages.length;
    this.#context = {
      config: config as never,
      example: example as never,
      random: random(options.seed ?? 0, this.key),
      signal: options.signal ?? never,
      state: undefined,
      messages: this.messages,
      reply: "",
      turns: 0,
      opponent: askerOf(options.opponent, definition),
    };
    this.tools = toolSpecsOf(environment);
  }

  get state(): State {
    return this.#context.state as State;
  }
  /** How many times the model has spoken. */
  get turns(): number {
    return this.#context.turns;
  }
  get prompt(): readonly Message[] {
    return this.messages.slice(0, this.#promptLength);
  }
  /** Everything that was said after the prompt. */
  get completion(): readonly Message[] {
    return this.messages.slice(this.#promptLength);
  }

  /** Prepares the state. The episode may be done at once. */
  async start(): Promise<Observation> {
    if (this.#isStarted) throw new Error("This episode has already started.");
    this.#isStarted = true;
    this.#isBusy = true;
    const { setup = () => ({}) } = this.#definition;
    this.#context.state = await boundary("environment", "setup", () => setup(this.#context));
    this.#isOpen = true;
    if (this.#isClosed) {
      await this.close();
      throw new Error("This episode was closed while it started.");
    }
    await this.#checkStops();
    this.#isBusy = false;
    return this.#observe(this.messages.length);
  }

  /** Takes the model's next message; ignored once the episode is done. One at a time. */
  async step(
    message: AssistantMessage,
    options: { isTruncated?: boolean } = {},
  ): Promise<Observation> {
    if (!this.#isStarted) throw new Error("Call start() before step().");
    if (this.#isBusy) throw new Error("Await the previous step() before the next one.");
    if (this.stopReason !== undefined) return this.#observe(this.messages.length);
    this.#isBusy = true;
    try {
      this.messages.push(message);
      this.#context.reply = message.content;
      this.#context.turns += 1;
      this.#isTruncated ||= options.isTruncated ?? false;
      const before = this.messages.length;
      const calls = this.tools.length > 0 ? (message.tool_calls ?? []) : [];
      if (calls.length > 0) await this.#runTools(calls);
      else await this.#respond();
      await this.#checkStops();
      if (this.stopReason === undefined && this.turns >= this.#maxTurns) this.stopReason = "turns";
      return this.#observe(before);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Ends the episode because the driver's limit was reached. */
  stop(reason: "turns" | "tokens" | "context"): void {
    this.stopReason ??= reason;
  }

  /** What one of the environment's policies would say now; `seed` makes its choices differ between rollouts. */
  async askPolicy(name: string, seed: Seed, parameter?: number): Promise<AssistantMessage> {
    const policies = this.#definition.policies ?? {};
    const play = Object.hasOwn(policies, name) ? policies[name] : undefined;
    if (play === undefined) throw unknownPolicy(modelCheck(this.#environment), name);
    const context = { ...this.#context, random: random(seed, this.key, this.turns), parameter };
    const answer = await boundary("environment", `the policy ${name}`, () => play(context));
    return typeof answer === "string" ? assistant(answer) : answer;
  }

  /** What the scores see of the finished episode. */
  scoreContext(): ScoreContext {
    const { config, example, state, turns, signal } = this.#context;
    const { completion, prompt, stopReason = "cancelled" } = this;
    return {
      config,
      example,
      state,
      prompt,
      completion,
      reply: lastReply(completion),
      turns,
      stopReason,
      isTruncated: this.#isTruncated || isLimit(stopReason),
      memo: createMemo(),
      random: this.#context.random.for("score"),
      signal,
    };
  }

  async score(): Promise<ScoreResult<Name>> {
    const [scored] = await scoreEpisodes(this.#environment, [this]);
    if (scored === undefined || scored instanceof Error) throw scored;
    return scored;
  }

  /** Releases what `setup` acquired; if that is still at work, as soon as it is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await boundary("environment", "close", () => this.#definition.close?.(this.#context));
  }

  async #respond(): Promise<void> {
    const { respond = () => end() } = this.#definition;
    const answer = await boundary("environment", "respond", () => respond(this.#context));
    if (!isEnd(answer)) return void this.messages.push(...asMessages(answer));
    this.stopReason = "end";
    if (answer.message !== undefined) this.messages.push(user(answer.message));
  }

  async #runTools(calls: readonly ToolCall[]): Promise<void> {
    for (const call of calls) {
      if (this.stopReason !== undefined) {
        this.messages.push(toolMessage(call, "Not run: the episode is over."));
        continue;
      }
      const { message, isEnd: ends } = await runTool(call, this.#definition, this.#context);
      this.messages.push(message);
      if (ends) this.stopReason = "end";
    }
  }

  async #checkStops(): Promise<void> {
    if (this.stopReason !== undefined || this.#definition.stop === undefined) return;
    const name = await heldCondition(this.#definition.stop, this.#context);
    if (name !== undefined) this.stopReason = name;
  }

  #observe(from: number): Observation {
    const { stopReason } = this;
    return { messages: this.messages.slice(from), isDone: stopReason !== undefined, stopReason };
  }
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };
