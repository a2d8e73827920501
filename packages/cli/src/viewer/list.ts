import type { Rollout } from "@envs/core";

import { callText } from "../conversation/tool-call.ts";
import { clean, paint } from "../terminal/text.ts";
import { truncate, widthOf } from "../terminal/wrap.ts";
import { figure } from "../text/figures.ts";

/** The rows of the list that are on the screen. */
export interface ListWindow {
  readonly columns: number;
  /** The index of the first visible rollout. */
  readonly top: number;
  readonly height: number;
  /** The index of the rollout that Enter opens. */
  readonly cursor: number;
}

interface Widths {
  readonly number: number;
  readonly id: number;
  readonly reward: number;
  readonly status: number;
  /** The width of the column of parts; 0 without parts, where the list has no such column. */
  readonly part: number;
}

const maxStatusWidth = 20;
/** The maximum number of characters that are read of a text, whose first words are shown. */
const maxTextLength = 2000;

/** Widths depend on all rollouts, so that columns stay in place while the list scrolls. */
const widthCache = new WeakMap<readonly Rollout[], Widths>();

/** Formats the heading of the list and one line for each visible rollout. */
export function listLines(selected: readonly Rollout[], window: ListWindow): readonly string[] {
  const { columns, top, height, cursor } = window;
  const widths = widthsOf(selected);
  const heading = row(widths, [
    "#",
    "id",
    "reward",
    "turns",
    "part",
    "status",
    "last reply or error",
  ]);
  const rows = selected.slice(top, top + height).map((rollout, offset) => {
    const index = top + offset;
    const cells = [String(index + 1), ...cellsOf(rollout)] as const;
    const line = truncate(row(widths, cells), columns - 2);
    if (index !== cursor) return `  ${rollout.status === "failed" ? paint("red", line) : line}`;
    return paint("inverse", `› ${line}${" ".repeat(Math.max(0, columns - 2 - widthOf(line)))}`);
  });
  return [paint("dim", `  ${truncate(heading, columns - 2)}`), ...rows];
}

type Cells = readonly [string, string, string, string, string, string, string];

function row(widths: Widths, [number, id, reward, turns, part, status, text]: Cells): string {
  return [
    number.padStart(widths.number),
    id.padStart(widths.id),
    reward.padStart(widths.reward),
    turns.padStart(5),
    ...(widths.part === 0 ? [] : [truncate(part, widths.part).padEnd(widths.part)]),
    truncate(status, widths.status).padEnd(widths.status),
    text,
  ].join("  ");
}

function cellsOf(rollout: Rollout): readonly [string, string, string, string, string, string] {
  return [
    idOf(rollout),
    rewardOf(rollout),
    String(rollout.trajectory.length),
    partOf(rollout),
    statusOf(rollout),
    firstWords(rollout),
  ];
}

function widthsOf(selected: readonly Rollout[]): Widths {
  const cached = widthCache.get(selected);
  if (cached !== undefined) return cached;
  const widest = (text: (rollout: Rollout) => string, heading: string): number =>
    selected.reduce((width, rollout) => Math.max(width, widthOf(text(rollout))), heading.length);
  const widths: Widths = {
    number: String(selected.length).length,
    id: widest(idOf, "id"),
    reward: widest(rewardOf, "reward"),
    status: Math.min(maxStatusWidth, widest(statusOf, "status")),
    part: selected.some(({ part }) => part !== undefined)
      ? Math.min(maxStatusWidth, widest(partOf, "part"))
      : 0,
  };
  widthCache.set(selected, widths);
  return widths;
}

/** The number of the example, and of the rollout of this example. */
function idOf({ exampleIndex, rolloutIndex }: Rollout): string {
  return `${exampleIndex}/${rolloutIndex}`;
}

function rewardOf(rollout: Rollout): string {
  return rollout.status === "scored" ? figure(rollout.reward) : "–";
}

function statusOf(rollout: Rollout): string {
  return clean(rollout.status === "scored" ? rollout.stopReason : `failed: ${rollout.error.code}`);
}

function partOf({ part = "" }: Rollout): string {
  return clean(part);
}

/** The beginning of the error's message or of the last reply, without its thoughts, on one line. */
function firstWords(rollout: Rollout): string {
  const text = rollout.status === "failed" ? rollout.error.message : lastReply(rollout);
  return clean(text.slice(0, maxTextLength)).replaceAll(/\s+/g, " ").trim();
}

function lastReply({ completion }: Rollout): string {
  const reply = completion.findLast((message) => message.role === "assistant");
  if (reply?.role !== "assistant") return "";
  const end = reply.content.lastIndexOf("</think>");
  const answer = end < 0 ? reply.content : reply.content.slice(end + "</think>".length);
  if (answer.trim() !== "") return answer;
  const [call] = reply.tool_calls ?? [];
  return call === undefined ? reply.content : `→ ${callText(call)}`;
}
