import type { Rollout } from "@envs/core";
import { usageOfBranches } from "@envs/core/engine";
import { sidesOf } from "@envs/records";

import { messageLines } from "../conversation/message.ts";
import { clean, paint } from "../terminal/text.ts";
import { wrap } from "../terminal/wrap.ts";
import { figure, callFigures } from "../text/figures.ts";
import { shortDuration } from "../text/time.ts";

export interface RolloutLayout {
  /** The terminal's width; `Infinity` to not wrap lines. */
  readonly columns: number;
  /** Show long messages in full. */
  readonly isWhole: boolean;
  /** The rollout's position in the selection: `3 of 15`. */
  readonly position: string;
  /** The run's folder, in which the images of the conversation lie. */
  readonly folder: string;
}

/** The maximum width of text: longer lines are hard to read. */
const maxTextWidth = 100;

/** Formats a rollout: its result, its conversation, and the conversations of other seats that models have played. */
export function rolloutLines(rollout: Rollout, layout: RolloutLayout): readonly string[] {
  const columns = layout.columns === Infinity ? Infinity : Math.min(layout.columns, maxTextWidth);
  const lines = [
    ...heading(rollout, { ...layout, columns }),
    ...messageLines(rollout, { ...layout, columns }),
  ];
  for (const side of sidesOf(rollout).slice(1)) {
    lines.push("", ...seatHeading(rollout, side, columns));
    lines.push(...messageLines(side, { ...layout, columns }));
  }
  return lines;
}

function seatHeading(
  { otherSeats = {} }: Rollout,
  side: Rollout,
  columns: number,
): readonly string[] {
  const { seat = "", trajectory } = side;
  const turns = `${trajectory.length} ${trajectory.length === 1 ? "turn" : "turns"}`;
  const { model } = otherSeats[seat]!;
  const facts = [model === undefined ? "" : `played by ${clean(model)}`, turns, tokens(side)];
  return [
    paint("bold", `seat ${clean(seat)}`),
    ...(side.status === "scored" ? scoreLines(side, columns) : []),
    ...wrap(facts.filter((fact) => fact !== "").join(" · "), columns).map((line) =>
      paint("dim", line),
    ),
  ];
}

function heading(
  rollout: Rollout,
  { position, columns, isWhole }: RolloutLayout,
): readonly string[] {
  const { exampleIndex, exampleKey, rolloutIndex } = rollout;
  const name = `rollout ${position}`;
  const identity = `  (example ${exampleIndex}, rollout ${rolloutIndex})  ${clean(exampleKey)}`;
  return [
    paint("bold", name) + paint("dim", identity.slice(0, Math.max(0, columns - name.length))),
    ...(rollout.status === "scored" ? scoreLines(rollout, columns) : errorLines(rollout, columns)),
    ...wrap(details(rollout), columns).map((line) => paint("dim", line)),
    ...toolLines(rollout, columns),
    ...feedbackLines(rollout, { columns, isWhole }),
  ];
}

function scoreLines(
  { reward, scores }: Extract<Rollout, { status: "scored" }>,
  columns: number,
): readonly string[] {
  const label = `reward ${figure(reward)}`;
  const values = Object.entries(scores).map(([name, value]) => `${clean(name)} ${figure(value)}`);
  const [first = "", ...rest] = wrap([label, ...values].join("  "), columns);
  return [paint(["bold", "cyan"], label) + first.slice(label.length), ...rest];
}

/** The maximum number of lines of a score's feedback, unless the user asks for all. */
const maxFeedback = 3;

function feedbackLines(
  rollout: Rollout,
  { columns, isWhole }: Pick<RolloutLayout, "columns" | "isWhole">,
): readonly string[] {
  const feedback = rollout.status === "scored" ? Object.entries(rollout.feedback ?? {}) : [];
  return feedback.flatMap(([name, text]) => {
    const label = `${clean(name)}: `;
    const lines = wrap(label + clean(text).trim(), columns).map((line, index) =>
      index === 0 ? paint("cyan", label) + line.slice(label.length) : line,
    );
    if (isWhole || lines.length <= maxFeedback + 1) return lines;
    const hidden = `… ${lines.length - maxFeedback} more lines, press a to show all`;
    return lines.slice(0, maxFeedback).concat(paint(["dim", "italic"], hidden));
  });
}

function toolLines({ tools = {} }: Rollout, columns: number): readonly string[] {
  const uses = Object.entries(tools).map(
    ([name, { calls, errors, seconds }]) =>
      `${clean(name)} ${calls}×${errors > 0 ? ` (${errors} failed)` : ""} ${shortDuration(seconds)}`,
  );
  if (uses.length === 0) return [];
  return wrap(`tools: ${uses.join(" · ")}`, columns).map((line) => paint("dim", line));
}

function judge({ judgeUsage = {} }: Rollout): string {
  return Object.entries(judgeUsage)
    .map(([name, usage]) => `judge ${clean(name)} ${callFigures(usage)}`)
    .join(" · ");
}

function subModels({ branches }: Rollout): string {
  return Object.entries(usageOfBranches(branches) ?? {})
    .map(([name, usage]) => `sub-model ${clean(name)} ${callFigures(usage)}`)
    .join(" · ");
}

function errorLines(
  { error }: Extract<Rollout, { status: "failed" }>,
  columns: number,
): readonly string[] {
  const { code, message, chain, isFatal } = error;
  const causes = chain.slice(1).filter((cause) => !cause.endsWith(`: ${message}`));
  return [
    `failed (${code}${isFatal ? ", affects every rollout" : ""}): ${message}`,
    ...causes.map((cause) => `  caused by ${cause}`),
  ].flatMap((text) => wrap(clean(text), columns).map((line) => paint("red", line)));
}

function tokens({ usage, trajectory }: Rollout): string {
  if (usage === undefined) return trajectory.length === 0 ? "" : "tokens unknown";
  const { inputTokens, outputTokens } = usage;
  if (inputTokens + outputTokens === 0) return "";
  return `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`;
}

function attempts({ earlierAttempts = [] }: Rollout): string {
  if (earlierAttempts.length === 0) return "";
  const codes = [...new Set(earlierAttempts.map(({ error }) => error.code))];
  return `attempt ${earlierAttempts.length + 1}, after ${codes.join(", ")}`;
}

function details(rollout: Rollout): string {
  const { trajectory, timing, isTruncated, isFiltered } = rollout;
  const seconds = (timing.scoring.end - timing.setup.start) / 1000;
  const turns = `${trajectory.length} ${trajectory.length === 1 ? "turn" : "turns"}`;
  const ended = rollout.status === "scored" ? `ended by ${clean(rollout.stopReason)}` : "";
  return [
    rollout.part === undefined ? "" : `part ${clean(rollout.part)}`,
    rollout.seat === undefined ? "" : `seat ${clean(rollout.seat)}`,
    ended,
    turns,
    isTruncated ? "truncated" : "",
    isFiltered ? "filtered" : "",
    attempts(rollout),
    tokens(rollout),
    judge(rollout),
    subModels(rollout),
    seconds > 0 && Number.isFinite(seconds) ? shortDuration(seconds) : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
