import type { AssistantMessage } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";

import { didYouMean } from "../terminal/arguments.ts";

/** The commands that a player can type instead of an answer, with their help texts. */
export const commands = {
  back: "Take back your last answer",
  restart: "Restart this example",
  next: "Go to the next example",
  hint: "Show what the environment's best policy would answer",
  show: "Show the whole conversation, as the model sees it",
  call: 'Call a tool: /call name {"argument": …}, or /call name text if it has one argument',
  help: "Show this list",
  quit: "Stop playing",
} as const;

export type CommandName = keyof typeof commands;

/** A typed line: an answer, a command, or an unknown command. */
export type PlayerInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "command"; readonly name: CommandName; readonly argument: string }
  | { readonly kind: "unknown"; readonly problem: string };

/** Parses a typed line. Two slashes begin an answer that starts with a slash. */
export function parseInput(line: string): PlayerInput {
  if (!line.startsWith("/")) return { kind: "text", text: line };
  if (line.startsWith("//")) return { kind: "text", text: line.slice(1) };
  const [, word = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const names = Object.keys(commands) as CommandName[];
  const name = names.find((known) => known === word.toLowerCase());
  if (name !== undefined) return { kind: "command", name, argument: argument.trim() };
  const problem = `Unknown command /${word}.${didYouMean(word, names)} Type /help for a list, or // to begin an answer with a slash.`;
  return { kind: "unknown", problem };
}

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

/** A pair of tags in a reply. */
export interface TagField {
  readonly name: string;
  readonly text: string;
}

/** Parses a reply that consists only of pairs of tags. Returns `undefined` for any other reply. */
export function tagFields(reply: string): readonly TagField[] | undefined {
  const fields: TagField[] = [];
  let rest = reply.trim();
  while (rest !== "") {
    const name = /^<([A-Za-z_][\w.-]*)>/.exec(rest)?.[1];
    if (name === undefined) return undefined;
    const closingTag = `</${name}>`;
    const end = rest.indexOf(closingTag);
    if (end === -1) return undefined;
    fields.push({ name, text: rest.slice(name.length + 2, end).trim() });
    rest = rest.slice(end + closingTag.length).trimStart();
  }
  return fields.length === 0 ? undefined : fields;
}

/**
 * Wraps typed text in the tags of a sample reply: the last line goes into the last pair of tags, the lines before it into
 * the first pair. Text that already contains one of the tags stays unchanged.
 */
export function wrapInTags(typed: string, sample: string): string {
  const fields = tagFields(sample);
  if (fields === undefined || fields.some(({ name }) => typed.includes(`<${name}>`))) return typed;
  const lines = typed.split("\n");
  const hasThoughts = fields.length > 1;
  const answer = hasThoughts ? lines.at(-1)! : typed;
  const thoughts = hasThoughts ? lines.slice(0, -1).join("\n") : "";
  return fields
    .map(({ name }, index) => {
      const text = index === fields.length - 1 ? answer : index === 0 ? thoughts : "";
      return `<${name}>${text}</${name}>`;
    })
    .join("\n");
}
