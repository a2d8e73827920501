import type { Example } from "../dataset/example.ts";
import type { Board } from "../definition/board.ts";
import type { LabelledChoice } from "../definition/choice.ts";
import type { Environment } from "../definition/environment.ts";
import { modelCheck, ownPolicy, promptOf } from "../definition/inspect.ts";
import { filesOf } from "../definition/workspace-tool.ts";
import type { HookScope } from "../hook-scope.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import type { AssistantMessage, Message } from "../message/message.ts";
import { end, readAnswer, type StopReason } from "../message/stop.ts";
import type { ToolSpec } from "../model/model.ts";
import { unknownPolicy } from "../model/policy.ts";
import type { WorkspaceFiles } from "../model/workspace-files.ts";
import { random, type Seed } from "../random.ts";
import type { JudgeModels } from "../rubric/judge.ts";
import { RecordedJudge } from "../rubric/recorded-judge.ts";
import type { ScoreContext } from "../rubric/rubric.ts";
import type { AnyContext, SharedContext } from "./new-context.ts";
import { boardOf, choicesIn, policyReply } from "./position.ts";
import { createScoreContext } from "./score-context.ts";
import { Toolbox } from "./toolbox.ts";
import { TurnRewards } from "./turn-rewards.ts";

/** The episode that a conversation is part of. */
export interface ConversationSite {
  readonly environment: Environment;
  readonly part: string | undefined;
  readonly key: string;
  readonly example: Example;
  readonly scope: HookScope;
  readonly shared: SharedContext;
  readonly judge: JudgeModels | undefined;
}

/** How the environment has answered a reply. */
export interface Reaction {
  readonly isEnd: boolean;
  readonly isInvalid: boolean;
}

/** What one seat of an episode reads and writes; without seats, the only conversation of the episode. */
export class Conversation {
  readonly seat: string | undefined;
  /** The whole conversation, prompt included. */
  readonly messages: Message[];
  /** What the hooks receive. */
  readonly context: AnyContext;
  /** Runs the tool calls of the seat. */
  readonly toolbox: Toolbox;
  /** Answers the questions of the seat's scores. */
  readonly judges: RecordedJudge;
  readonly rewards: TurnRewards = new TurnRewards();
  /** Whether a limit cut a reply of the seat, or the episode because of the seat. */
  isTruncated = false;
  /** Whether another seat has replied since this one last read something. */
  isStale = false;
  readonly #site: ConversationSite;
  #promptLength: number;

  constructor(site: ConversationSite, seat?: string) {
    const { environment, scope, shared } = site;
    this.#site = site;
    this.seat = seat;
    this.messages = promptOf(environment, site.example, seat);
    this.#promptLength = this.messages.length;
    this.context = {
      ...shared,
      seat: seat as never,
      messages: this.messages,
      reply: "",
      turns: 0,
      reward: (amount) => this.rewards.add(amount),
    };
    this.toolbox = new Toolbox(environment.definition, scope);
    this.judges = new RecordedJudge(site.judge, shared.signal);
  }

  /** The key of the episode. */
  get key(): string {
    return this.#site.key;
  }
  /** Runs the environment's code. */
  get scope(): HookScope {
    return this.#site.scope;
  }
  get tools(): readonly ToolSpec[] {
    return this.toolbox.specs;
  }
  get prompt(): readonly Message[] {
    return this.messages.slice(0, this.#promptLength);
  }
  /** Every message after the prompt. */
  get completion(): readonly Message[] {
    return this.messages.slice(this.#promptLength);
  }

  /** Appends a reply. */
  receive(message: AssistantMessage, isTruncated: boolean): void {
    this.messages.push(message);
    this.context.reply = message.content;
    this.context.turns += 1;
    this.rewards.startTurn();
    this.isTruncated ||= isTruncated;
    this.isStale = false;
  }

  /** Lets the environment answer the last reply. */
  async react({ tool_calls: calls = [] }: AssistantMessage): Promise<Reaction> {
    const { toolbox, messages, context } = this;
    if (calls.length > 0 && toolbox.canRun)
      return { isEnd: await toolbox.run(calls, messages, context), isInvalid: false };
    const { definition } = this.#site.environment;
    const { respond = () => end() } = definition;
    const answer = await this.#site.scope.run("environment", "respond", () => respond(context));
    const { messages: added, ...reaction } = readAnswer(answer, mediaLimitsOf(definition));
    messages.push(...added);
    return reaction;
  }

  /** Appends what the seat sees, unless it has something to answer and no other seat has replied since. */
  async observe(): Promise<void> {
    const { definition } = this.#site.environment;
    const { observe } = definition.seats ?? {};
    const last = this.messages.at(-1)?.role;
    const hasUnread = last === "user" || last === "tool";
    if (observe === undefined || (hasUnread && !this.isStale)) return;
    const seen = await this.#site.scope.run("environment", "observe", () => observe(this.context));
    this.messages.push(...readAnswer(seen, mediaLimitsOf(definition), "observe").messages);
    this.isStale = false;
    if (this.context.turns === 0) this.#promptLength = this.messages.length;
  }

  /** Returns the next message of one of the environment's policies. `seed` varies its choices between rollouts. */
  async askPolicy(name: string, seed: Seed, parameter?: number): Promise<AssistantMessage> {
    const { environment, key } = this.#site;
    const context = { ...this.context, random: random(seed, key, this.context.turns), parameter };
    const reply = await policyReply(this.#position, ownPolicy(this.#site, name), context);
    if (reply === undefined) throw unknownPolicy(modelCheck(environment), name);
    return reply;
  }

  /** Returns the files that an agent program finds in its folder; `undefined` if the environment offers no folder. */
  get workspace(): (() => Promise<WorkspaceFiles>) | undefined {
    const { environment, scope } = this.#site;
    const { definition } = environment;
    if (definition.workspace === undefined) return undefined;
    return () => scope.run("environment", "workspace", () => filesOf(definition, this.context));
  }

  choices(): Promise<readonly LabelledChoice[] | undefined> {
    return choicesIn(this.#position);
  }

  board(): Promise<Board | undefined> {
    return boardOf(this.#position);
  }

  /** The context that the scores of the seat receive. */
  scoreContext(stopReason: StopReason): ScoreContext {
    const { prompt, completion, isTruncated } = this;
    const { judge } = this.judges;
    const turnRewards = this.rewards.sums;
    const facts = { prompt, completion, turnRewards, stopReason, isTruncated, judge };
    return createScoreContext(this.context, facts);
  }

  get #position() {
    const { environment, scope } = this.#site;
    return { definition: environment.definition, context: this.context, scope };
  }
}
