import type { ToolCall } from "@envs/core";

/** Formats a tool call as `search(query: "Paris", limit: 5)`. Shows arguments that are not a JSON object unchanged. */
export function callText({ function: { name, arguments: text } }: ToolCall): string {
  try {
    const input: unknown = JSON.parse(text.trim() || "{}");
    if (typeof input === "object" && input !== null && !Array.isArray(input)) {
      const entries = Object.entries(input).map(
        ([key, value]) => `${key}: ${JSON.stringify(value)}`,
      );
      return `${name}(${entries.join(", ")})`;
    }
  } catch {
    // Fall through to the model's own text.
  }
  return `${name} ${text}`;
}
