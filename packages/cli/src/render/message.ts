import type { Message, Rollout, ToolCall, Turn } from "@envs/core";
import { clean, paint } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";

import { spoken } from "./time.ts";

export interface MessageLayout {
  readonly columns: number;
  readonly isWhole: boolean;
}

type Style = Parameters<typeof paint>[0];

/** How the name of each role is painted. */
export const roleStyles = {
  system: "magenta",
  user: "blue",
  assistant: "green",
  tool: "yellow",
} as const;

/** How many lines of a message are shown before it is cut. The system prompt is the same in every rollout. */
const most = { system: 4, user: 24, assistant: 24, tool: 12 } as const;
const indent = "  ";

/** A conversation, in lines: who speaks, then what is said. */
export function messageLines(
  { prompt, completion, trajectory }: Rollout,
  layout: MessageLayout,
): readonly string[] {
  const toolNames = new Map<string, string>();
  const lines: string[] = [];
  let turn = 0;
  for (const [index, message] of [...prompt, ...completion].entries()) {
    let details = "";
    if (message.role === "tool") details = toolNames.get(message.tool_call_id) ?? "";
    if (message.role === "assistant") {
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
      if (index >= prompt.length) {
        details = turnDetails(turn + 1, trajectory[turn]);
        turn += 1;
      }
    }
    const role = paint(["bold", roleStyles[message.role] ?? "white"], clean(message.role));
    lines.push("", details === "" ? role : `${role} ${paint("dim", clean(details))}`);
    lines.push(...cut(bodyLines(message, layout), message.role, layout));
  }
  return lines;
}

function turnDetails(number: number, turn: Turn | undefined): string {
  const seconds = turn === undefined ? 0 : (turn.model.end - turn.model.start) / 1000;
  return [
    `turn ${number}`,
    seconds > 0 ? spoken(seconds) : "",
    turn?.usage === undefined
      ? ""
      : `${turn.usage.inputTokens} → ${turn.usage.outputTokens} tokens`,
    turn?.finish === "length" || turn?.finish === "content_filter" ? `cut by ${turn.finish}` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** What a message says, in indented lines. */
export function bodyLines(message: Message, layout: MessageLayout): readonly string[] {
  const said = (text: string, style?: Style): readonly string[] =>
    wrap(clean(text), layout.columns - indent.length).map((line) =>
      line === "" ? "" : indent + (style === undefined ? line : paint(style, line)),
    );
  if (message.role !== "assistant") return message.content === "" ? [] : said(message.content);
  const { reasoning_content: reasoning, content, tool_calls: calls = [] } = message;
  const lines = [
    ...(reasoning === undefined || reasoning === "" ? [] : said(reasoning, "dim")),
    ...parts(content).flatMap(({ text, isThought }) => said(text, isThought ? "dim" : undefined)),
    ...calls.flatMap((call) => said(`→ ${callText(call)}`, "yellow")),
  ];
  return lines.length === 0 ? [indent + paint("dim", "(says nothing)")] : lines;
}

/** Divides a reply at its `<think>` tags; thoughts that were cut off reach to the end. */
function parts(content: string): readonly { text: string; isThought: boolean }[] {
  const found: { text: string; isThought: boolean }[] = [];
  let at = 0;
  while (at < content.length) {
    const open = content.indexOf("<think>", at);
    if (open === -1) break;
    const close = content.indexOf("</think>", open);
    const end = close === -1 ? content.length : close + "</think>".length;
    found.push({ text: content.slice(at, open), isThought: false });
    found.push({ text: content.slice(open, end), isThought: true });
    at = end;
  }
  found.push({ text: content.slice(at), isThought: false });
  // A line break beside the tags is shown by the next part's beginning on a line of its own.
  return found
    .map(({ text, isThought }) => ({ text: text.replace(/^\n/, "").replace(/\n$/, ""), isThought }))
    .filter(({ text }) => text !== "");
}

/** `search(query: "Paris", limit: 5)`; arguments that are not an object are shown as they came. */
export function callText({ function: { name, arguments: text } }: ToolCall): string {
  try {
    const input: unknown = JSON.parse(text.trim() || "{}");
    if (typeof input === "object" && input !== null && !Array.isArray(input)) {
      const shown = Object.entries(input).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
      return `${name}(${shown.join(", ")})`;
    }
  } catch {
    // The model's own text is the most telling.
  }
  return `${name} ${text}`;
}

function cut(
  lines: readonly string[],
  role: Message["role"],
  { isWhole }: MessageLayout,
): readonly string[] {
  const limit = most[role] ?? 24;
  // One line more than the hint takes is no reason to cut.
  if (isWhole || lines.length <= limit + 1) return lines;
  const hidden = `… ${lines.length - limit} more lines, a shows all`;
  return [...lines.slice(0, limit), indent + paint(["dim", "italic"], hidden)];
}
