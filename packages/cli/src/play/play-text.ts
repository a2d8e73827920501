import type { AssistantMessage, Message } from "@envs/core";
import { describeContent, type ScoreResult, type ToolSpec } from "@envs/core/engine";

import { bodyLines, roleStyles } from "../conversation/message.ts";
import { callText } from "../conversation/tool-call.ts";
import { clean, paint } from "../terminal/text.ts";
import { truncate, wrap } from "../terminal/wrap.ts";
import { figure } from "../text/figures.ts";
import { tagFields } from "./player-input.ts";

const indent = "  ";

function block(heading: string, lines: readonly string[]): string {
  return ["", heading, ...lines.map((line) => (line === "" ? "" : indent + line))].join("\n");
}

export interface ObservationLayout {
  readonly columns: number;
  /** The text shown before. Changed characters are highlighted. */
  readonly previous?: string;
}

/** Formats the environment's text, such as a board or a question. */
function observationBlock(
  heading: string,
  text: string,
  { columns, previous = "" }: ObservationLayout,
): string {
  const lines = (raw: string): readonly string[] => wrap(clean(raw), columns - indent.length);
  return block(heading, highlightChanges(lines(text), lines(previous)));
}

/** Highlights changed characters in lines of the same length, such as a move on a board. Lines that differ in more than half of their characters stay plain. */
export function highlightChanges(
  lines: readonly string[],
  previousLines: readonly string[],
): readonly string[] {
  return lines.map((line, index) => {
    const characters = Array.from(line);
    const previous = Array.from(previousLines[index] ?? "");
    const changes = characters.filter((character, at) => character !== previous[at]).length;
    if (characters.length !== previous.length || changes === 0 || changes * 2 > characters.length)
      return line;
    return characters
      .map((character, at) =>
        character === previous[at] ? character : paint(["bold", "cyan"], character),
      )
      .join("");
  });
}

/** Formats a message of the conversation, with its role as the heading. */
export function messageBlock(message: Message, layout: ObservationLayout): string {
  const heading = paint(["bold", roleStyles[message.role]], message.role);
  if (message.role === "assistant") return replyBlock(heading, message, layout.columns);
  return observationBlock(heading, describeContent(message.content), layout);
}

/** Formats a model's reply. Shows pairs of tags as labels and texts, which are easier to read than markup. */
export function replyBlock(heading: string, message: AssistantMessage, columns: number): string {
  const fields = message.tool_calls === undefined ? tagFields(message.content) : undefined;
  if (fields === undefined || message.reasoning_content !== undefined)
    return ["", heading, ...bodyLines(message, { columns, isWhole: true })].join("\n");
  const labelWidth = Math.max(...fields.map(({ name }) => name.length));
  const textWidth = Math.max(8, columns - indent.length * 2 - labelWidth);
  return block(
    heading,
    fields.flatMap(({ name, text }, index) => {
      const isAnswer = index === fields.length - 1;
      return wrap(clean(text), textWidth).map((line, lineIndex) => {
        const label = paint("dim", (lineIndex === 0 ? name : "").padEnd(labelWidth));
        return `${label}${indent}${isAnswer ? paint("bold", line) : paint("dim", line)}`;
      });
    }),
  );
}

/** Formats the notice that a model has replied, without its reply. */
export function replied(name: string, remark: string): string {
  return `\n${paint(["bold", "green"], name)} ${paint("dim", remark)}`;
}

/** Formats the message sent for a player's input: a reply with tags, or a tool call. */
export function sentLine(
  { content, tool_calls: calls }: AssistantMessage,
  columns: number,
): string {
  const [call] = calls ?? [];
  const sent = call === undefined ? content.replaceAll("\n", " ") : `→ ${callText(call)}`;
  return paint("dim", truncate(`${indent}sent: ${clean(sent)}`, columns));
}

/** Formats the end of an episode with its reward and scores. */
export function endBlock(
  { reward, scores, unjudged = {} }: ScoreResult,
  { remark, columns }: { readonly remark: string; readonly columns: number },
): string {
  const label = `reward ${figure(reward)}`;
  const values = Object.entries(scores).flatMap(([name, value]) =>
    value === null ? [] : [`${clean(name)} ${figure(value)}`],
  );
  const [first = "", ...rest] = wrap([label, ...values].join("  "), columns - indent.length);
  return block(`${paint("bold", "the end")} ${paint("dim", remark)}`, [
    paint(["bold", "cyan"], label) + first.slice(label.length).trimEnd(),
    ...rest.map((line) => line.trimEnd()),
    ...notJudged(Object.keys(unjudged), columns - indent.length),
  ]);
}

function notJudged(names: readonly string[], columns: number): readonly string[] {
  if (names.length === 0) return [];
  return wrap(`not judged: ${names.map(clean).join(", ")}`, columns).map((line) =>
    paint("dim", line.trimEnd()),
  );
}

/** Formats tools as the commands that call them. */
export function toolList(tools: readonly ToolSpec[], columns: number): readonly string[] {
  return tools.flatMap(({ name, description }) =>
    wrap(clean(`/call ${name}: ${description}`), columns),
  );
}
