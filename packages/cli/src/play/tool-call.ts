import type { AssistantMessage } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";
import { didYouMean } from "@envs/terminal";

interface InputSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** Parses `search {"query": "Paris"}`, or `search Paris` for a tool with one argument. */
export function parseToolCall(
  typed: string,
  tools: readonly ToolSpec[],
): AssistantMessage | { readonly problem: string } {
  const [, name = "", input = ""] = /^(\S*)\s*([\s\S]*)$/.exec(typed) ?? [];
  const names = tools.map((tool) => tool.name);
  const tool = tools.find((known) => known.name === name);
  if (tool === undefined) {
    const known =
      names.length === 0 ? "This environment has no tools." : `Tools: ${names.join(", ")}.`;
    return { problem: `Unknown tool ${JSON.stringify(name)}.${didYouMean(name, names)} ${known}` };
  }
  const json = input.startsWith("{") || input === "" ? input || "{}" : inputJson(input, tool);
  if (json === undefined)
    return { problem: `${name} has several arguments. Pass them as JSON: /call ${name} {…}` };
  const call = { id: "call_1", type: "function", function: { name, arguments: json } } as const;
  return { role: "assistant", content: "", tool_calls: [call] };
}

/** Returns `undefined` if the tool has several arguments. */
function inputJson(text: string, { parameters }: ToolSpec): string | undefined {
  const { properties = {}, required = [] } = parameters as InputSchema;
  const names = Object.keys(properties);
  const [name, ...others] = names.length === 1 ? names : required;
  if (name === undefined || others.length > 0) return undefined;
  if (properties[name]?.type === "string") return JSON.stringify({ [name]: text });
  return `{${JSON.stringify(name)}: ${text}}`;
}
