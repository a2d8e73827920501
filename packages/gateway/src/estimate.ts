import type { AgentCall, Usage } from "@envs/core/engine";

/** The characters that an image or a file counts as, because its tokens do not depend on the length of its data URL. */
const dataURLLength = 4_000;

/** Estimates the tokens of a JSON value: four characters each. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(lengthOf(value) / 4);
}

/** The length of the JSON text, without its escapes. It is computed for every call, so the text is not written. */
function lengthOf(value: unknown): number {
  if (typeof value === "string")
    return value.startsWith("data:") ? dataURLLength : value.length + 2;
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).length;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + lengthOf(item) + 1, 1);
  return Object.entries(value).reduce(
    (sum, [name, field]) => (field === undefined ? sum : sum + name.length + 4 + lengthOf(field)),
    1,
  );
}

/** The usage of a call whose server has not reported it, or not all of it: at least the reported part. */
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
