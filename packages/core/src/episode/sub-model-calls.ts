import type { EpisodeContext } from "../definition/context.ts";
import type { Environment } from "../definition/environment.ts";
import { subModelBudget } from "../definition/sub-model-needs.ts";
import { asRolloutError, ConfigError, isRolloutError, RolloutError } from "../errors.ts";
import type { HookScope } from "../hook-scope.ts";
import { deepCopy, omitUndefined } from "../json.ts";
import { asMessages, assistantMessage, type Message } from "../message/message.ts";
import type { Branch } from "../model/branch.ts";
import { now } from "../model/clock.ts";
import {
  checkResponse,
  type Model,
  type ModelRequest,
  type ModelResponse,
} from "../model/model.ts";
import type { AskSubModel, SubModelAnswer, SubModelOptions } from "../model/sub-model.ts";
import { noUsage } from "../model/usage.ts";
import type { Random } from "../random.ts";
import { scriptedReply } from "./scripted-reply.ts";

/** The episode whose hooks ask the sub-model. */
interface Caller {
  readonly environment: Environment;
  readonly scope: HookScope;
  readonly context: () => EpisodeContext<never, never, unknown, never>;
}

type Limit = NonNullable<SubModelAnswer["limit"]>;

/** The sub-model calls of one episode: its budget, and the branches that its record keeps. */
export class SubModelCalls {
  /** What hooks receive as `context.subModel`. */
  readonly ask: AskSubModel;
  /** The number of calls that the budget has refused. */
  refusals = 0;
  readonly #caller: Caller;
  readonly #model: Model | undefined;
  readonly #maxCalls: number;
  readonly #maxTokens: number;
  /** Indexed by the number of the call, because concurrent calls end in any order. */
  readonly #branches: (Branch | undefined)[] = [];
  #tokens = 0;

  /** Without a model, the scripted sub-model of the environment answers. */
  constructor(caller: Caller, model: Model | undefined) {
    this.#caller = caller;
    this.#model = model;
    const { maxCalls = Infinity, maxTokens = Infinity } = subModelBudget(caller.environment) ?? {};
    this.#maxCalls = maxCalls;
    this.#maxTokens = maxTokens;
    this.ask = (prompt, options = {}) => this.#ask(deepCopy(asMessages(prompt)), options);
  }

  /** The calls that the sub-model has answered, in the order in which they were made. */
  get branches(): readonly Branch[] {
    return this.#branches.filter((branch) => branch !== undefined);
  }

  async #ask(messages: readonly Message[], options: SubModelOptions): Promise<SubModelAnswer> {
    const { environment, scope } = this.#caller;
    const { signal: ended, turns } = this.#caller.context();
    if (environment.definition.subModel === undefined) throw notDeclared(environment.name);
    const limit = this.#limit();
    if (limit !== undefined) {
      this.refusals += 1;
      return refusal(limit, this.#budgetText(limit));
    }
    const call = this.#branches.push(undefined) - 1;
    const { tools, sampling } = options;
    const signal = options.signal === undefined ? ended : AbortSignal.any([ended, options.signal]);
    const seed = this.#random(call).int(2 ** 31);
    const asked = { messages, tools, sampling, seed, signal };
    const branch = { turn: turns === 0 ? undefined : turns - 1, ...this.#facts(asked) };
    const start = now();
    let response: ModelResponse;
    try {
      const reply = () => this.#reply(asked, call);
      response = checkResponse(await scope.run("model", "the sub-model", reply));
    } catch (error) {
      signal.throwIfAborted();
      if (!isRolloutError(error) || !error.isOverflow) throw this.#failed(error);
      const message = assistantMessage("");
      const reply = { message, finish: "length" as const, isOverflow: true, usage: undefined };
      const model = { start, end: now() };
      this.#branches[call] = { ...branch, ...reply, tokens: undefined, model };
      return refusal("context", "The messages exceed the context of the sub-model.");
    }
    const { usage, tokens, calls: _, ...reply } = response;
    this.#branches[call] = { ...branch, ...reply, usage, tokens, model: { start, end: now() } };
    this.#count(response);
    return { text: reply.message.content, message: reply.message, finish: reply.finish, usage };
  }

  #facts({ messages, tools }: Pick<ModelRequest, "messages" | "tools">) {
    const { id = this.#model === undefined ? "policy" : "model" } = this.#model ?? {};
    return { subModel: id, messages, ...omitUndefined({ tools }) };
  }

  /** A policy answers as the scripted sub-model of the environment, because a policy can only play the environment. */
  async #reply(request: ModelRequest, call: number): Promise<ModelResponse> {
    const { environment, context } = this.#caller;
    const { example } = context();
    const scripted = { ...request, example, random: this.#random(call, "policy") };
    const askPolicy = () => scriptedReply(environment, scripted);
    if (this.#model !== undefined) return this.#model({ ...request, askPolicy });
    return { message: await askPolicy(), finish: "stop", usage: noUsage };
  }

  #random(call: number, use = "seed"): Random {
    return this.#caller.context().random.for("sub-model", call, use);
  }

  #limit(): Limit | undefined {
    if (this.#branches.length >= this.#maxCalls) return "calls";
    return this.#tokens >= this.#maxTokens ? "tokens" : undefined;
  }

  #budgetText(limit: Limit): string {
    return limit === "calls"
      ? `The budget of ${this.#maxCalls} sub-model calls is used up.`
      : `The budget of ${this.#maxTokens} sub-model tokens is used up.`;
  }

  #count({ usage }: ModelResponse): void {
    if (usage === undefined && this.#maxTokens !== Infinity)
      throw this.#failed(usageRequired(this.#maxTokens));
    this.#tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  }

  /** Fails the episode: a tool would report the error to the model, and code in a sandbox may catch it. */
  #failed(thrown: unknown): RolloutError {
    const error = asRolloutError("model", "the sub-model", thrown);
    this.#caller.scope.fail(error);
    return error;
  }
}

function refusal(limit: Limit, text: string): SubModelAnswer {
  return { text, message: assistantMessage(text), finish: "stop", usage: undefined, limit };
}

function notDeclared(name: string): ConfigError {
  return new ConfigError(
    `A hook of ${name} asks a sub-model, which the definition does not declare. Add subModel: { maxCalls: … }.`,
  );
}

function usageRequired(maxTokens: number): RolloutError {
  return new RolloutError(
    "model",
    `The sub-model does not report its usage, so the budget of ${maxTokens} tokens cannot be enforced. Use a model that reports it.`,
    { isFatal: true },
  );
}
