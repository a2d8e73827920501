import type { DeepReadonly } from "../json.ts";
import type { AssistantMessage, Message } from "../message/message.ts";
import type { Random } from "../random.ts";
import type { FinishReason, Sampling, ToolSpec } from "./model.ts";
import type { Usage } from "./usage.ts";

type Setting<Config> = number | ((context: { readonly config: DeepReadonly<Config> }) => number);

/** Declares that hooks ask a model while they answer the model that plays. */
export interface SubModelDefinition<Config = never, E = never> {
  /** The number of calls that a rollout may make. */
  readonly maxCalls: Setting<Config>;
  /** The input and output tokens of all calls of a rollout; the calls that are under way may exceed it. Default: no limit. */
  readonly maxTokens?: Setting<Config> | undefined;
  /**
   * Answers in place of a model when a policy plays, in checks and in bundles, which have no model. Required if the environment
   * has policies.
   */
  policy?(
    context: SubModelPolicyContext<Config, E>,
  ): string | AssistantMessage | Promise<string | AssistantMessage>;
}

/** What the scripted sub-model of an environment receives. */
export interface SubModelPolicyContext<Config, E> {
  readonly config: DeepReadonly<Config>;
  readonly example: DeepReadonly<E>;
  /** What the hook asked. */
  readonly messages: readonly Message[];
  /** The text of the last of the messages. */
  readonly prompt: string;
  /** Seeded by the run, the example and the number of the call. */
  readonly random: Random;
}

/** How one call asks the sub-model. */
export interface SubModelOptions {
  /** The rollout's own model has the sampling of the run, with these changes. */
  readonly sampling?: Sampling | undefined;
  /** The tools that the sub-model may call. The hook runs the calls, and asks again with the results. */
  readonly tools?: readonly ToolSpec[] | undefined;
  /** Aborts the call. The end of the rollout aborts it as well. */
  readonly signal?: AbortSignal | undefined;
}

/** What a sub-model replied; with `limit`, there is no reply, and `text` explains why. */
export interface SubModelAnswer {
  readonly text: string;
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage: Usage | undefined;
  /**
   * Why there is no reply: the `calls` or the `tokens` of the rollout's budget are used up, or the messages exceed the `context`
   * of the sub-model. Absent if it replied.
   */
  readonly limit?: "calls" | "tokens" | "context" | undefined;
}

/**
 * Asks the sub-model a prompt or a conversation. The rollout's record keeps each call as a branch. The end of the budget is an
 * answer with a `limit`; an error of the model fails the rollout with the code `model`, even if the caller catches it.
 */
export type AskSubModel = (
  prompt: string | readonly Message[],
  options?: SubModelOptions,
) => Promise<SubModelAnswer>;
