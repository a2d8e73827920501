import {
  type AssistantMessage,
  type Environment,
  type Message,
  type ModelRequest,
  RolloutError,
} from "@envs/core";
import { canonicalJson, episode, examples, type KeyedExample, replay } from "@envs/core/engine";
import type { ReplyFunction } from "@envs/core/testing";

export interface PolicyAnswerOptions {
  /** The number of examples that clients play. Seed and split must be those of the clients too. Default 5. */
  readonly examples?: number | undefined;
  readonly split?: string | undefined;
  /** Default 0. */
  readonly seed?: number | undefined;
  /** The number in brackets of `policy:mixed(0.3)`. */
  readonly parameter?: number | undefined;
}

/**
 * A function that answers conversations with an environment's policy, also over HTTP. Finds the example by the prompt of the
 * conversation, and restores the state by replaying the model's messages. If several examples have the same prompt, selects the
 * one whose environment messages match.
 */
export function policyAnswer(
  environment: Environment,
  name: string,
  options: PolicyAnswerOptions = {},
): ReplyFunction {
  const { seed = 0, parameter, examples: count = 5, split } = options;
  let loading: Promise<Map<string, KeyedExample[]>> | undefined;
  const load = async (): Promise<Map<string, KeyedExample[]>> => {
    const byPrompt = new Map<string, KeyedExample[]>();
    for await (const keyed of examples(environment, { split, count, seed })) {
      const prompt = comparable(episode(environment, keyed.example).prompt);
      byPrompt.set(prompt, [...(byPrompt.get(prompt) ?? []), keyed]);
    }
    return byPrompt;
  };

  return async ({ messages, seed: turnSeed = 0 }: ModelRequest): Promise<AssistantMessage> => {
    const byPrompt = await (loading ??= load());
    for (let length = messages.length; length > 0; length -= 1) {
      const candidates = byPrompt.get(comparable(messages.slice(0, length))) ?? [];
      for (const { example, key } of candidates) {
        const completion = messages.slice(length);
        const resumed = await replay(environment, example, { key, seed, completion });
        try {
          if (comparable(resumed.messages) === comparable(messages))
            return await resumed.askPolicy(name, turnSeed, parameter);
        } finally {
          await resumed.close();
        }
      }
    }
    throw new RolloutError("model", `No example of ${environment.name} matches this conversation.`);
  };
}

/** The parts of a conversation that clients send unchanged. They may omit earlier reasoning. */
function comparable(messages: readonly Message[]): string {
  return canonicalJson(
    messages.map((message) =>
      message.role === "assistant"
        ? [message.role, message.content, message.tool_calls ?? []]
        : [message.role, message.content],
    ),
  );
}
