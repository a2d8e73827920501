import type { AgentCall, Usage } from "@envs/core/engine";

/** The characters that an image or a file counts as, because its tokens do not depend on the length of its data URL. */
const dataURLLength = 4_000;

/** Estimates tokens: four characters each. */
export function estimateTokens(value: unknown): number {
  let replaced = 0;
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "string" || !part.startsWith("data:")) return part;
    replaced += dataURLLength;
    return "";
  });
  return Math.ceil(((text?.length ?? 0) + replaced) / 4);
}

/** The usage of a call that ended before its reply did: at least what the server has reported until then. */
export function estimateUsage(
  { messages, tools, message }: Pick<AgentCall, "messages" | "tools" | "message">,
  reported: Usage | undefined,
): Usage {
  const { content, reasoning_content: reasoning = "", tool_calls: calls = [] } = message;
  const called = calls.flatMap(({ function: { name, arguments: input } }) => [name, input]);
  const length = [content, reasoning, ...called].reduce((sum, text) => sum + text.length, 0);
  return {
    ...reported,
    inputTokens: reported?.inputTokens ?? estimateTokens([messages, tools]),
    outputTokens: Math.max(reported?.outputTokens ?? 0, Math.ceil(length / 4)),
    isEstimated: true,
  };
}
