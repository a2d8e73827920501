import type { Environment } from "../environment.ts";
import { RolloutError } from "../errors.ts";
import type { KeyedExample } from "../example.ts";
import { examples } from "../examples.ts";
import { openingOf } from "../inspect.ts";
import { canonicalJson } from "../json.ts";
import type { AssistantMessage, Message } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import { replay } from "../replay.ts";
import type { Answer } from "./reply.ts";

export interface PolicyAnswerOptions {
  /** The examples that clients play: as many as they do, of the same seed and split. Default 5. */
  readonly examples?: number;
  readonly split?: string;
  readonly seed?: number;
  readonly parameter?: number;
}

/**
 * Answers as an environment's policy to whoever sends its conversations, over HTTP too: finds the example by its
 * prompt, and the state by playing the model's messages again. Where several examples have the same prompt, the one
 * counts whose answers were the same.
 */
export function policyAnswer(
  environment: Environment,
  name: string,
  options: PolicyAnswerOptions = {},
): Answer {
  const { seed = 0, parameter, examples: count = 5, ...which } = options;
  let loading: Promise<Map<string, KeyedExample[]>> | undefined;
  const load = async (): Promise<Map<string, KeyedExample[]>> => {
    const byPrompt = new Map<string, KeyedExample[]>();
    for await (const keyed of examples(environment, { ...which, count, seed })) {
      const prompt = essence(openingOf(environment, keyed.example));
      byPrompt.set(prompt, [...(byPrompt.get(prompt) ?? []), keyed]);
    }
    return byPrompt;
  };

  return async ({ messages, seed: turnSeed = 0 }: ModelRequest): Promise<AssistantMessage> => {
    const byPrompt = await (loading ??= load());
    for (let length = messages.length; length > 0; length -= 1) {
      const candidates = byPrompt.get(essence(messages.slice(0, length))) ?? [];
      for (const { example, key } of candidates) {
        const completion = messages.slice(length);
        const resumed = await replay(environment, example, { key, seed, completion });
        try {
          if (essence(resumed.messages) === essence(messages))
            return await resumed.askPolicy(name, turnSeed, parameter);
        } finally {
          await resumed.close();
        }
      }
    }
    throw new RolloutError("model", `No example of ${environment.name} fits this conversation.`);
  };
}

/** What both sides of the wire know of a conversation: clients may leave out earlier thoughts. */
function essence(messages: readonly Message[]): string {
  return canonicalJson(
    messages.map((message) =>
      message.role === "assistant"
        ? [message.role, message.content, message.tool_calls ?? []]
        : [message.role, message.content],
    ),
  );
}
