import type { Rollout } from "@envs/core";
import { clean, paint } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";

import { messageLines } from "./message.ts";
import { figure } from "./score-table.ts";
import { spoken } from "./time.ts";

export interface RolloutLayout {
  /** Columns of the terminal; `Infinity` where nothing limits a line. */
  readonly columns: number;
  /** Messages are shown whole, not cut. */
  readonly isWhole: boolean;
  /** The rollout's place among those selected: `3 of 15`. */
  readonly place: string;
}

/** The most columns that text fills: longer lines are hard to read. */
const readable = 100;

/** A rollout as a person reads it, in lines: what it came to, then the conversation. */
export function rolloutLines(rollout: Rollout, layout: RolloutLayout): readonly string[] {
  const columns = layout.columns === Infinity ? Infinity : Math.min(layout.columns, readable);
  return [
    ...heading(rollout, layout.place, columns),
    ...messageLines(rollout, { columns, isWhole: layout.isWhole }),
  ];
}

function heading(rollout: Rollout, place: string, columns: number): readonly string[] {
  const { exampleIndex, exampleKey, rolloutIndex } = rollout;
  const name = `rollout ${place}`;
  const which = `  (example ${exampleIndex}, rollout ${rolloutIndex})  ${clean(exampleKey)}`;
  const wrapped = (text: string): readonly string[] => wrap(text, columns);
  return [
    paint("bold", name) + paint("dim", which.slice(0, Math.max(0, columns - name.length))),
    ...(rollout.status === "scored" ? scored(rollout, wrapped) : failed(rollout, wrapped)),
    ...wrapped(facts(rollout)).map((line) => paint("dim", line)),
  ];
}

type Wrap = (text: string) => readonly string[];

function scored(
  { reward, scores }: Extract<Rollout, { status: "scored" }>,
  wrapped: Wrap,
): readonly string[] {
  const label = `reward ${figure(reward)}`;
  const values = Object.entries(scores).map(([name, value]) => `${clean(name)} ${figure(value)}`);
  const [first = "", ...rest] = wrapped([label, ...values].join("  "));
  return [paint(["bold", "cyan"], label) + first.slice(label.length), ...rest];
}

function failed(
  { error }: Extract<Rollout, { status: "failed" }>,
  wrapped: Wrap,
): readonly string[] {
  const { code, message, chain, isFatal } = error;
  const causes = chain.slice(1).filter((cause) => !cause.endsWith(`: ${message}`));
  return [
    ...wrapped(
      clean(`failed (${code}${isFatal ? ", as every rollout would" : ""}): ${message}`),
    ).map((line) => paint("red", line)),
    ...causes.flatMap((cause) =>
      wrapped(clean(`  caused by ${cause}`)).map((line) => paint("red", line)),
    ),
  ];
}

function facts(rollout: Rollout): string {
  const { trajectory, usage, timing, isTruncated } = rollout;
  const seconds = (timing.scoring.end - timing.setup.start) / 1000;
  const turns = `${trajectory.length} ${trajectory.length === 1 ? "turn" : "turns"}`;
  const ended = rollout.status === "scored" ? `ended by ${clean(rollout.stopReason)}` : "";
  return [
    ended,
    turns,
    isTruncated ? "truncated" : "",
    usage.inputTokens + usage.outputTokens > 0
      ? `${usage.inputTokens.toLocaleString("en")} tokens in, ${usage.outputTokens.toLocaleString("en")} out`
      : "",
    seconds > 0 && Number.isFinite(seconds) ? spoken(seconds) : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
