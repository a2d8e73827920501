import type { AssistantMessage } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";
import { didYouMean } from "@envs/terminal";

interface InputSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** Reads `search {"query": "Paris"}`, or `search Paris` of a tool that needs one argument. */
export function readToolCall(
  typed: string,
  tools: readonly ToolSpec[],
): AssistantMessage | { readonly problem: string } {
  const [, name = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(typed) ?? [];
  const names = tools.map((tool) => tool.name);
  const tool = tools.find((known) => known.name === name);
  if (tool === undefined) {
    const known = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`;
    return {
      problem: `There is no tool ${JSON.stringify(name)}.${didYouMean(name, names)} ${known}`,
    };
  }
  const text = rest.startsWith("{") || rest === "" ? rest || "{}" : wrapped(rest, tool);
  if (text === undefined)
    return { problem: `${name} needs several arguments: write them as JSON, /call ${name} {…}` };
  const call = { id: "call_1", type: "function", function: { name, arguments: text } } as const;
  return { role: "assistant", content: "", tool_calls: [call] };
}

function wrapped(text: string, { parameters }: ToolSpec): string | undefined {
  const { properties = {}, required = [] } = parameters as InputSchema;
  const names = Object.keys(properties);
  const [name, ...others] = names.length === 1 ? names : required;
  if (name === undefined || others.length > 0) return undefined;
  if (properties[name]?.type === "string") return JSON.stringify({ [name]: text });
  return `{${JSON.stringify(name)}: ${text}}`;
}
