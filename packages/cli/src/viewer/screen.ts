import type { Rollout } from "@envs/core";

import { clean, paint } from "../terminal/text.ts";
import { truncate, widthOf, wrap } from "../terminal/wrap.ts";
import { listLines } from "./list.ts";
import type { Extent } from "./press.ts";
import { rolloutLines } from "./rollout.ts";
import { summaryLines } from "./run-summary.ts";
import type { ViewState } from "./state.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A drawn screen. */
export interface Screen {
  readonly lines: readonly string[];
  /** The cursor's column in the last line while the prompt is open. */
  readonly cursor: number | undefined;
  readonly extent: Extent;
}

const help = [
  ["↓ ↑  j k", "next or previous rollout in the list; scroll one line"],
  ["Enter  →", "open a rollout"],
  ["Esc  q", "back to the list; in the list, clear the filter or quit"],
  ["n p  → ←", "next or previous rollout"],
  ["space", "scroll down, then the next rollout"],
  ["PgDn PgUp  b", "scroll one screen"],
  ["Home End", "start or end"],
  ["s", "summary of the run"],
  ["/", "filter, such as win > 0 && turns < 5"],
  ["f", "show only failed rollouts, or all"],
  ["g", "go to a rollout by its number (#)"],
  ["a", "show long messages in full or shortened"],
  ["o", "open the next image, audio or file of the rollout"],
  ["Ctrl-C", "quit"],
] as const;

/** The keys in the last line, the most useful ones first. */
const hints = {
  list: [
    ["Enter", "open"],
    ["s", "summary"],
    ["/", "filter"],
    ["f", "failed"],
    ["g", "go to"],
    ["?", "help"],
    ["q", "quit"],
  ],
  rollout: [
    ["Esc", "list"],
    ["n", "next"],
    ["p", "previous"],
    ["a", "all"],
    ["s", "summary"],
    ["/", "filter"],
    ["?", "help"],
  ],
  summary: [
    ["Esc", "list"],
    ["n", "rollouts"],
    ["/", "filter"],
    ["?", "help"],
  ],
} as const;

/** Draws the viewer's state for a terminal of the given size. */
export function draw(state: ViewState, { columns, rows }: Size): Screen {
  const problem = promptProblem(state, columns);
  // The title and the footer take two lines.
  const height = Math.max(1, rows - 2 - problem.length);
  const isList = state.page === "list" && !state.isHelp;
  const { shown, below, extent } = (isList ? listContent : pageContent)(state, columns, height);
  const filled = [...shown, ...Array.from({ length: height - shown.length }, () => "")];
  const lines = [title(state, columns), ...filled, ...problem, footer(state, columns, below)];
  return {
    lines: lines.slice(-rows).map((line) => truncate(line, columns)),
    cursor: state.prompt === undefined ? undefined : widthOf(promptText(state, columns)),
    extent,
  };
}

/** The lines between the title and the footer, and the number of lines that follow them. */
interface Content extends Pick<Screen, "extent"> {
  readonly shown: readonly string[];
  readonly below: number;
}

function pageContent(state: ViewState, columns: number, height: number): Content {
  const page = pageLines(state, columns);
  const scroll = Math.max(0, Math.min(state.scroll, page.length - height));
  const shown = page.slice(scroll, scroll + height);
  return { shown, below: page.length - scroll - height, extent: { height, lines: page.length } };
}

function listContent(state: ViewState, columns: number, height: number): Content {
  const { cursor, selected } = state;
  // One line is the heading.
  const count = Math.max(1, height - 1);
  const top = Math.min(cursor, Math.max(state.scroll, cursor - count + 1));
  const shown = listLines(selected, { columns, top, height: count, cursor });
  const extent = { height: count, lines: selected.length };
  return { shown, below: selected.length - top - count, extent };
}

interface CachedLines {
  readonly key: string;
  readonly lines: readonly string[];
}

/** Wrapping a long rollout is slow, so the last result of each is cached. */
const lineCache = new WeakMap<Rollout, CachedLines>();

function pageLines(state: ViewState, columns: number): readonly string[] {
  const { run, page, cursor, selected, isWhole, isHelp } = state;
  if (isHelp)
    return [
      "",
      ...help.map(
        ([key, text]) =>
          `  ${paint("bold", key.padEnd(14))} ${truncate(text, Math.max(1, columns - 17))}`,
      ),
    ];
  const rollout = page === "rollout" ? selected[cursor] : undefined;
  // The screen's title replaces the summary's first line.
  if (rollout === undefined) return summaryLines(run, columns).slice(1);
  const position = `${cursor + 1} of ${selected.length}`;
  const key = `${position} ${columns} ${isWhole}`;
  const cached = lineCache.get(rollout);
  if (cached?.key === key) return cached.lines;
  const lines = rolloutLines(rollout, { columns, isWhole, position, folder: run.path });
  lineCache.set(rollout, { key, lines });
  return lines;
}

function title({ run, selection, selected }: ViewState, columns: number): string {
  const { metadata, rollouts } = run;
  const count =
    selected.length === rollouts.length
      ? `${rollouts.length} rollouts`
      : `${selected.length} of ${rollouts.length} rollouts`;
  const text = [
    metadata.env_id,
    metadata.model,
    count,
    ...(selection.isFailedOnly === true ? ["failed"] : []),
    ...(selection.where === undefined ? [] : [selection.where]),
    ...(selection.sort === undefined ? [] : [`by ${selection.sort}`]),
  ].join(" · ");
  const shown = truncate(clean(text).replaceAll("\n", " "), columns - 3);
  return paint("inverse", ` ${shown}${" ".repeat(Math.max(0, columns - widthOf(shown) - 1))}`);
}

/** Shows the end of the typed text if it is wider than the screen. */
function promptText({ prompt }: ViewState, columns: number): string {
  if (prompt === undefined) return "";
  const label = prompt.kind === "where" ? "filter: " : "go to rollout: ";
  const characters = Array.from(prompt.text);
  while (widthOf(characters.join("")) > columns - label.length - 1) characters.shift();
  return label + characters.join("");
}

function promptProblem({ prompt, notice }: ViewState, columns: number): readonly string[] {
  if (prompt === undefined || notice === undefined) return [];
  return wrap(clean(notice), columns)
    .slice(0, 3)
    .map((line) => paint("yellow", line));
}

function footer(state: ViewState, columns: number, below: number): string {
  if (state.prompt !== undefined) return promptText(state, columns);
  if (state.isHelp) return paint("dim", "Press any key to go back.");
  if (state.notice !== undefined) return paint("yellow", truncate(state.notice, columns - 1));
  const more = below > 0 ? `${below} more ↓` : "";
  const available = hints[state.page];
  const visible = available.filter(
    (_, index) => hintsWidth(available.slice(0, index + 1)) < columns - more.length - 2,
  );
  const left = visible
    .map(([key, text]) => `${paint("bold", key)} ${paint("dim", text)}`)
    .join("  ");
  const gap = columns - hintsWidth(visible) - more.length - 1;
  return more === "" || gap < 1 ? left : `${left}${" ".repeat(gap)}${paint("dim", more)}`;
}

function hintsWidth(visible: readonly (readonly [string, string])[]): number {
  return visible.reduce((sum, [key, text]) => sum + key.length + text.length + 3, -2);
}
