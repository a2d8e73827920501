import type { Content, Message, Rollout, Turn } from "@envs/core";
import { describePart } from "@envs/core/engine";

import { clean, paint } from "../terminal/text.ts";
import { wrap } from "../terminal/wrap.ts";
import { shortDuration } from "../text/time.ts";
import { agentCallLines } from "./agent-calls.ts";
import { branchLines } from "./branches.ts";
import { mediaLine } from "./media.ts";
import { callText } from "./tool-call.ts";

export interface MessageLayout {
  readonly columns: number;
  /** Show long messages in full. */
  readonly isWhole: boolean;
  /** The run's folder, in which the images of the conversation lie. */
  readonly folder?: string | undefined;
}

type Style = Parameters<typeof paint>[0];

export const roleStyles = {
  system: "magenta",
  user: "blue",
  assistant: "green",
  tool: "yellow",
} as const;

/** The maximum number of lines of a shortened message. The system prompt is the same in every rollout. */
const maxLines = { system: 4, user: 24, assistant: 24, tool: 12 } as const;
const indent = "  ";

/** Formats a conversation: each message's role as a heading, then its text, indented. */
export function messageLines(rollout: Rollout, layout: MessageLayout): readonly string[] {
  const { prompt, completion, trajectory, branches } = rollout;
  const callLines = agentCallLines(rollout, layout);
  const toolNames = new Map<string, string>();
  const lines: string[] = [];
  let turn = 0;
  for (const [index, message] of [...prompt, ...completion].entries()) {
    let details = "";
    const isTurn = message.role === "assistant" && index >= prompt.length;
    if (message.role === "tool") details = toolNames.get(message.tool_call_id) ?? "";
    if (message.role === "assistant") {
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
      if (isTurn) {
        details = turnDetails(turn + 1, trajectory[turn]);
        turn += 1;
      }
    }
    const role = paint(["bold", roleStyles[message.role] ?? "white"], clean(message.role));
    lines.push("", details === "" ? role : `${role} ${paint("dim", clean(details))}`);
    lines.push(...shorten(bodyLines(message, layout), message.role, layout));
    if (index === prompt.length - 1) lines.push(...branchLines(branches, undefined, layout));
    if (isTurn) lines.push(...callLines(turn - 1), ...branchLines(branches, turn - 1, layout));
  }
  lines.push(...callLines(turn));
  return lines;
}

function turnDetails(number: number, turn: Turn | undefined): string {
  const seconds = turn === undefined ? 0 : (turn.model.end - turn.model.start) / 1000;
  return [
    `turn ${number}`,
    seconds > 0 ? shortDuration(seconds) : "",
    turn?.usage === undefined || turn.usage.inputTokens + turn.usage.outputTokens === 0
      ? ""
      : `${turn.usage.inputTokens} → ${turn.usage.outputTokens} tokens`,
    turn?.finish === "length" || turn?.finish === "content_filter"
      ? `stopped by ${turn.finish}`
      : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Formats a message's text, reasoning and tool calls as indented lines. */
export function bodyLines(message: Message, layout: MessageLayout): readonly string[] {
  const indented = (text: string, style?: Style): readonly string[] =>
    wrap(clean(text), layout.columns - indent.length).map((line) =>
      line === "" ? "" : indent + (style === undefined ? line : paint(style, line)),
    );
  if (message.role !== "assistant") {
    return contentLines(message.content, layout, indented);
  }
  const { reasoning_content: reasoning, content, tool_calls: calls = [] } = message;
  const lines = [
    ...(reasoning === undefined || reasoning === "" ? [] : indented(reasoning, "dim")),
    ...splitThoughts(content).flatMap(({ text, isThought }) =>
      indented(text, isThought ? "dim" : undefined),
    ),
    ...calls.flatMap((call) => indented(`→ ${callText(call)}`, "yellow")),
  ];
  return lines.length === 0 ? [indent + paint("dim", "(empty)")] : lines;
}

/** Formats text, and one line for each image, audio or file. */
function contentLines(
  content: Content,
  { folder }: MessageLayout,
  indented: (text: string, style?: Style) => readonly string[],
): readonly string[] {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return parts.flatMap((part) => {
    if (part.type === "text") return part.text === "" ? [] : indented(part.text);
    return indented(folder === undefined ? describePart(part) : mediaLine(part, folder), "cyan");
  });
}

/** Splits a reply at its `<think>` tags. A missing end tag extends the thought to the end. */
function splitThoughts(content: string): readonly { text: string; isThought: boolean }[] {
  const parts: { text: string; isThought: boolean }[] = [];
  let at = 0;
  while (at < content.length) {
    const open = content.indexOf("<think>", at);
    if (open === -1) break;
    const close = content.indexOf("</think>", open);
    const end = close === -1 ? content.length : close + "</think>".length;
    parts.push({ text: content.slice(at, open), isThought: false });
    parts.push({ text: content.slice(open, end), isThought: true });
    at = end;
  }
  parts.push({ text: content.slice(at), isThought: false });
  // Each part starts on a new line, so line breaks next to the tags are redundant.
  return parts
    .map(({ text, isThought }) => ({ text: text.replace(/^\n/, "").replace(/\n$/, ""), isThought }))
    .filter(({ text }) => text !== "");
}

function shorten(
  lines: readonly string[],
  role: Message["role"],
  { isWhole }: MessageLayout,
): readonly string[] {
  const limit = maxLines[role] ?? 24;
  // The hint takes a line itself, so hiding a single line saves nothing.
  if (isWhole || lines.length <= limit + 1) return lines;
  const hidden = `… ${lines.length - limit} more lines, press a to show all`;
  return [...lines.slice(0, limit), indent + paint(["dim", "italic"], hidden)];
}
