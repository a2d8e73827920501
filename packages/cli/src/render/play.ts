import type { AssistantMessage, Message } from "@envs/core";
import { clean, paint } from "@envs/terminal";
import { truncate, wrap } from "@envs/terminal/layout";

import { tagFields } from "../play/reply-form.ts";
import { markChanges } from "./changes.ts";
import { bodyLines, callText, roleStyles } from "./message.ts";
import { figure } from "./score-table.ts";

const indent = "  ";

/** Who speaks, then what is said. */
function block(heading: string, lines: readonly string[]): string {
  return ["", heading, ...lines.map((line) => (line === "" ? "" : indent + line))].join("\n");
}

/** What someone is told: a board, a question. What changed since `before` is marked. */
export function toldBlock(
  heading: string,
  text: string,
  { columns, before = "" }: { readonly columns: number; readonly before?: string },
): string {
  const lines = (said: string): readonly string[] => wrap(clean(said), columns - indent.length);
  return block(heading, markChanges(lines(text), lines(before)));
}

/** A message of the conversation, under the name of its role. */
export function messageBlock(
  message: Message,
  { columns, before = "" }: { readonly columns: number; readonly before?: string },
): string {
  const heading = paint(["bold", roleStyles[message.role]], message.role);
  if (message.role === "assistant") return replyBlock(heading, message, columns);
  return toldBlock(heading, message.content, { columns, before });
}

/** What the model says. Pairs of tags become names and texts: they are easier to read than markup. */
export function replyBlock(heading: string, message: AssistantMessage, columns: number): string {
  const fields = message.tool_calls === undefined ? tagFields(message.content) : undefined;
  if (fields === undefined || message.reasoning_content !== undefined)
    return ["", heading, ...bodyLines(message, { columns, isWhole: true })].join("\n");
  const widest = Math.max(...fields.map(({ name }) => name.length));
  const room = Math.max(8, columns - indent.length * 2 - widest);
  return block(
    heading,
    fields.flatMap(({ name, text }, place) => {
      const isAnswer = place === fields.length - 1;
      return wrap(clean(text), room).map((line, at) => {
        const label = paint("dim", (at === 0 ? name : "").padEnd(widest));
        return `${label}${indent}${isAnswer ? paint("bold", line) : paint("dim", line)}`;
      });
    }),
  );
}

/** What became of what a person typed: a reply in the form that is asked for, or a call. */
export function sentLine(
  { content, tool_calls: calls }: AssistantMessage,
  columns: number,
): string {
  const [call] = calls ?? [];
  const sent = call === undefined ? content.replaceAll("\n", " ") : `→ ${callText(call)}`;
  return paint("dim", truncate(`${indent}sent: ${clean(sent)}`, columns));
}

/** How an episode ended, and what it was worth. */
export function endBlock(
  {
    reward,
    scores,
  }: { readonly reward: number; readonly scores: Readonly<Record<string, number | null>> },
  { why, columns }: { readonly why: string; readonly columns: number },
): string {
  const label = `reward ${figure(reward)}`;
  const values = Object.entries(scores).flatMap(([name, value]) =>
    value === null ? [] : [`${clean(name)} ${figure(value)}`],
  );
  const [first = "", ...rest] = wrap([label, ...values].join("  "), columns - indent.length);
  return block(`${paint("bold", "the end")} ${paint("dim", why)}`, [
    paint(["bold", "cyan"], label) + first.slice(label.length).trimEnd(),
    ...rest.map((line) => line.trimEnd()),
  ]);
}
