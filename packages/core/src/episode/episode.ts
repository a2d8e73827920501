import type { Example } from "../dataset/example.ts";
import type { Board } from "../definition/board.ts";
import type { LabelledChoice } from "../definition/choice.ts";
import type { Environment } from "../definition/environment.ts";
import { maxTurnsOf } from "../definition/inspect.ts";
import { type Played, playedBy } from "../definition/part.ts";
import { HookScope, type ReleaseStep } from "../hook-scope.ts";
import { type AssistantMessage, type Message } from "../message/message.ts";
import { matchingStopCondition, type StopReason } from "../message/stop.ts";
import type { ToolSpec } from "../model/model.ts";
import type { Seed } from "../random.ts";
import type { ScoreContext, ScoreResult } from "../rubric/rubric.ts";
import type { ScoringOptions } from "../rubric/scoring.ts";
import type { Conversation } from "./conversation.ts";
import { newContext } from "./new-context.ts";
import type { EpisodeOptions, Observation } from "./options.ts";
import { releaseSteps } from "./release.ts";
import { scoreEpisodes } from "./score-episodes.ts";
import { createSeating, type Seating } from "./seating.ts";
import { SubModelCalls } from "./sub-model-calls.ts";
import type { SeatReply } from "./table.ts";

/** Creates an episode of an example. The environment's code first runs in `start()`. */
export function episode<E extends Example, State, Name extends string, Seat extends string>(
  environment: Environment<E, State, Name, Seat>,
  example: E,
  options: EpisodeOptions = {},
): Episode<State, Name> {
  return new Episode<State, Name>(
    environment,
    playedBy(environment, example, options.key),
    options,
  );
}

/**
 * One running instance of an example. It never calls a model. The driver calls `start`, then `step` with each message of the
 * model until the observation is done, then `score` and `close`. With seats, the driver takes one of them; the episode asks
 * the players of the others in between.
 *
 * The same environment, config, example, seed, messages and answers of the players and the sub-model always lead to the same
 * state, so an episode is restored by repeating its steps.
 */
export class Episode<State = unknown, Name extends string = string> {
  readonly key: string;
  /** The environment that plays the example: in a mix, one of its parts. */
  readonly environment: Environment;
  /** The name of that part; `undefined` outside of a mix. */
  readonly part: string | undefined;
  /** The conversation of the driver: with seats, of its seat. */
  readonly conversation: Conversation;
  /** The conversations of the other seats that the driver's players take. Seats that are played by a policy are not recorded. */
  readonly otherConversations: readonly Conversation[];
  readonly subModelCalls: SubModelCalls;
  /** Runs the environment's code. */
  readonly scope: HookScope;
  stopReason: StopReason | undefined;
  readonly #mixed: Environment;
  readonly #maxTurns: number;
  readonly #seating: Seating;
  #releaseSteps: readonly ReleaseStep[] = [];
  #isBusy = false;
  #isStarted = false;
  #isOpen = false;
  #isClosed = false;

  constructor(mixed: Environment, played: Played, options: Omit<EpisodeOptions, "key">) {
    const { environment, part, example } = played;
    this.environment = environment;
    this.part = part;
    this.#mixed = mixed;
    this.key = part === undefined ? played.key : `${part}/${played.key}`;
    this.#maxTurns = Math.min(maxTurnsOf(environment), options.maxTurns ?? Infinity);
    this.scope = new HookScope(options.hookTimeout);
    const caller = { environment, scope: this.scope, context: () => this.conversation.context };
    this.subModelCalls = new SubModelCalls(caller, options.subModel);
    const shared = newContext(played, options, { subModel: this.subModelCalls.ask });
    const { key, scope } = this;
    const site = { environment, part, key, example, scope, shared, judge: options.judge };
    this.#seating = createSeating(site, options, () => ({
      isOver: () => this.stopReason !== undefined,
      react: (reply) => this.#react(reply),
      checkTurns: (conversation) => this.#checkTurns(conversation),
      stop: (limit, conversation) => this.stop(limit, conversation),
    }));
    this.conversation = this.#seating.own;
    this.otherConversations = this.#seating.others;
  }

  get state(): State {
    return this.conversation.context.state as State;
  }
  /** The seat of the driver; `undefined` without seats. */
  get seat(): string | undefined {
    return this.conversation.seat;
  }
  /** The whole conversation, prompt included. Steps append to it. */
  get messages(): readonly Message[] {
    return this.conversation.messages;
  }
  /** The rewards of the model's turns, in order; 0 for a turn without one. Steps append to it. */
  get turnRewards(): readonly number[] {
    return this.conversation.rewards.sums;
  }
  /** The tools that the model can call. Before `start`, only those that all episodes of the environment share. */
  get tools(): readonly ToolSpec[] {
    return this.conversation.tools;
  }
  /** Returns the files that an agent program finds in its folder; `undefined` if the environment offers no folder. */
  get workspace(): Conversation["workspace"] {
    return this.conversation.workspace;
  }
  get turns(): number {
    return this.conversation.context.turns;
  }
  get prompt(): readonly Message[] {
    return this.conversation.prompt;
  }
  /** Every message after the prompt. */
  get completion(): readonly Message[] {
    return this.conversation.completion;
  }

  /** Runs `setup`. A stop condition may end the episode before the first turn, and other seats may reply before it. */
  async start(): Promise<Observation> {
    if (this.#isStarted) throw new Error("This episode has already started.");
    this.#isStarted = true;
    this.#isBusy = true;
    const { setup = () => ({}) } = this.environment.definition;
    const { all, table } = this.#seating;
    const { context } = this.conversation;
    await this.scope.run("environment", "setup", async () => {
      const state = await setup(context);
      for (const each of all) each.context.state = state;
      this.#releaseSteps = releaseSteps(this.environment.definition, context);
      this.#isOpen = true;
      // The caller may have stopped waiting for this call, so it must release the state itself.
      if (this.#isClosed) await this.close();
    });
    for (const each of all) if (!this.#isClosed) await each.toolbox.open(each.context);
    if (this.#isClosed) throw new Error("This episode was closed while it started.");
    await this.#checkStopConditions(this.conversation);
    if (table !== undefined) await table.advance(this.conversation);
    this.#isBusy = false;
    return this.#observe(this.messages.length);
  }

  /** Appends the model's next message and lets the environment answer. After the end, it changes nothing. */
  async step(
    message: AssistantMessage,
    { isTruncated = false }: { readonly isTruncated?: boolean | undefined } = {},
  ): Promise<Observation> {
    if (!this.#isStarted) throw new Error("Call start() before step().");
    if (this.#isBusy) throw new Error("Await the previous step() before the next one.");
    if (this.stopReason !== undefined) return this.#observe(this.messages.length);
    this.#isBusy = true;
    try {
      const { conversation } = this;
      const { table } = this.#seating;
      const length = this.messages.length + 1;
      const reply = { conversation, message, isTruncated };
      if (table === undefined) conversation.receive(message, isTruncated);
      const isInvalid = await (table === undefined ? this.#react(reply) : table.step(reply));
      return { ...this.#observe(length), ...(isInvalid ? { isInvalid } : {}) };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Ends the episode because a limit of the driver was reached, in one of the conversations. */
  stop(
    reason: "turns" | "tokens" | "context",
    conversation: Conversation = this.conversation,
  ): void {
    if (this.stopReason !== undefined) return;
    this.stopReason = reason;
    conversation.isTruncated = true;
  }

  /** Returns the next message of one of the environment's policies. `seed` varies its choices between rollouts. */
  askPolicy(name: string, seed: Seed, parameter?: number): Promise<AssistantMessage> {
    return this.conversation.askPolicy(name, seed, parameter);
  }

  /** The legal replies to the last message; none after the end, and `undefined` if the environment does not list them. */
  async choices(): Promise<readonly LabelledChoice[] | undefined> {
    const choices = await this.conversation.choices();
    return this.stopReason === undefined ? choices : choices && [];
  }

  /** The position as a grid; `undefined` if the environment has no board. */
  board(): Promise<Board | undefined> {
    return this.conversation.board();
  }

  /** The context that the scores of the finished episode receive, for one of its conversations. */
  scoreContext(conversation: Conversation = this.conversation): ScoreContext {
    return conversation.scoreContext(this.stopReason ?? "cancelled");
  }

  /** Scores the episode. With `skipJudged`, scores that need a judge are `null`. */
  async score({ skipJudged }: Pick<ScoringOptions, "skipJudged"> = {}): Promise<ScoreResult<Name>> {
    const [result] = await scoreEpisodes(this.#mixed, [this], { skipJudged });
    if (result === undefined || result instanceof Error) throw result;
    return result;
  }

  /** Whether `close` must release resources, now or after `setup`. */
  get mustClose(): boolean {
    return this.#isOpen
      ? this.#releaseSteps.length > 0
      : this.environment.definition.setup !== undefined;
  }

  /**
   * Runs the environment's `close`, then disposes what `setup` returned. While `setup` is still running, the call returns and
   * `start` closes afterwards.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.scope.end(this.#releaseSteps);
  }

  async #react({ conversation, message }: SeatReply): Promise<boolean> {
    const { isEnd, isInvalid } = await conversation.react(message);
    if (isEnd) this.stopReason = "end";
    if (this.environment.definition.episode?.stop !== undefined)
      await this.#checkStopConditions(conversation);
    // With seats, the other seats still answer a seat's last reply.
    if (this.#seating.table === undefined) this.#checkTurns(conversation);
    return isInvalid;
  }

  #checkTurns(conversation: Conversation): void {
    if (conversation.context.turns >= this.#maxTurns) this.stop("turns", conversation);
  }

  async #checkStopConditions({ context }: Conversation): Promise<void> {
    const { stop } = this.environment.definition.episode ?? {};
    if (this.stopReason !== undefined || stop === undefined) return;
    this.stopReason = await matchingStopCondition(stop, context, this.scope);
  }

  #observe(from: number): Observation {
    const { stopReason } = this;
    return { messages: this.messages.slice(from), isDone: stopReason !== undefined, stopReason };
  }
}
