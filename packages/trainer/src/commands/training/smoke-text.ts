import { clean, formatTable, paint } from "@envs/cli/kit";
import { wrap, figure, percent } from "@envs/cli/kit/layout";

import type { Learning, Probe } from "../../smoke/evidence.ts";
import type { SmokeProgress } from "../../smoke/smoke-training.ts";
import type { SmokeReport } from "../../smoke/smoke.ts";
import type { Verdict } from "../../smoke/verdict.ts";
import { sparkline } from "./sparkline.ts";

/** The exit code: 0 only if a model can learn from the environment, so that CI fails for a fault and for doubt. */
export function smokeExitCode({ answer }: Pick<Verdict, "answer">): number {
  return answer === "learnable" ? 0 : 1;
}

const verdictStyles = {
  learnable: { mark: "✓", color: "green" },
  "not learnable": { mark: "✗", color: "red" },
  // prose-ignore: a value of reports on disk
  "cannot tell": { mark: "?", color: "yellow" },
} as const;

/** Formats a smoke report: the verdict, then the evidence. */
export function smokeReport({ verdict, evidence }: SmokeReport, width = 100): string {
  const { mark, color } = verdictStyles[verdict.answer];
  const { probes, failures, learning } = evidence;
  const [first = "", ...rest] = wrap(clean(`${verdict.answer}: ${verdict.reason}.`), width - 2);
  const answer = paint(["bold", color], `${mark} ${verdict.answer}`);
  return [
    answer + first.slice(verdict.answer.length),
    ...rest.map((line) => `  ${line}`),
    ...verdict.warnings.flatMap((warning) =>
      wrap(clean(warning), width - 2).map((line, index) =>
        paint("yellow", `${index === 0 ? "!" : " "} ${line}`),
      ),
    ),
    "",
    paint("dim", "Rewards of scripted replies"),
    formatTable(probes.map(probeRow), "text"),
    ...(learning === undefined
      ? []
      : ["", paint("dim", "Training of a tiny model"), ...learningLines(learning)]),
    ...(failures.failed === 0
      ? []
      : [line("failed", `${failuresIn(failures)} of ${count(failures.played)} rollouts`)]),
  ].join("\n");
}

/** Converts a smoke report to the output of `--json`. */
export function smokeJson({ verdict, evidence }: SmokeReport): object {
  const { probes, failures, constant, isRelative, learning, obstacle } = evidence;
  return {
    verdict: verdict.answer,
    reason: verdict.reason,
    remarks: verdict.warnings,
    probes,
    failures,
    constant_reward: constant ?? null,
    scores_compare_rollouts: isRelative,
    learning: learning === undefined ? null : snakeCase(learning),
    obstacle: obstacle ?? null,
  };
}

/** Formats the progress of a smoke run as one line. */
export function smokeLine({ stage, step, steps, reward }: SmokeProgress): string {
  const stepText = step === undefined ? "" : `, step ${step} of ${steps}`;
  const rewardText = typeof reward === "number" ? ` · reward ${figure(reward)}` : "";
  return `${stageTexts[stage]}${stepText}${rewardText}`;
}

const stageTexts: Readonly<Record<SmokeProgress["stage"], string>> = {
  probing: "playing the policies",
  imitating: "imitating a weak teacher",
  measuring: "evaluating on other examples",
  learning: "training on rewards",
};

function probeRow({ name, reward, lead }: Probe, index: number, all: readonly Probe[]): string[] {
  const difference =
    lead === undefined || (lead.low <= 0 && lead.high >= 0)
      ? ""
      : `${figure(Math.abs(lead.mean))} ${lead.mean > 0 ? "less" : "more"}`;
  return [`  ${name}`, figure(reward), difference, probeDescription(name, all[0]?.name ?? "")];
}

function probeDescription(name: string, best: string): string {
  const description = probeDescriptions.get(name);
  return description === undefined ? "" : paint("dim", `replies of ${best} ${description}`);
}

const probeDescriptions: ReadonlyMap<string, string> = new Map([
  ["mixed up", "to other messages"],
  ["scrambled", "with shuffled characters"],
  ["padded", "repeated several times"],
]);

function learningLines(learning: Learning): string[] {
  const { before, after, difference, rewards, rise, rollouts, steps, examples } = learning;
  const { low, high } = difference;
  return [
    line(
      "imitated",
      `${count(learning.conversations)} conversations of a weak teacher (median ${learning.medianTokens} tokens) in ${learning.warmUpSteps} steps`,
    ),
    line("trained", `on ${count(rollouts)} rollouts in ${steps} steps`),
    line("reward", `${figure(before)} → ${figure(after)} on ${examples} other examples`),
    line(
      "change",
      `${figure(difference.mean)} (99 % confidence interval: ${figure(low)} to ${figure(high)})`,
    ),
    line(
      "steps",
      `${sparkline(rewards, 40)} ${figure(rewards[0])} → ${figure(rewards.at(-1))}${rise === undefined ? "" : `, a rise of ${figure(rise.low)} to ${figure(rise.high)}`}`,
    ),
    line(
      "groups",
      `${percent(learning.zeroVariance, 1)} with equal rewards; standard deviation within an example: ${figure(learning.deviation)}`,
    ),
    line("limits", `${percent(learning.truncated, 1)} of the rollouts were truncated`),
  ];
}

function failuresIn({ codes }: SmokeReport["evidence"]["failures"]): string {
  return Object.entries(codes)
    .map(([code, times]) => `${code} ${count(times)}`)
    .join(", ");
}

function line(name: string, text: string): string {
  return `  ${paint("dim", name.padEnd(9))} ${text}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function snakeCase(record: object): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as unknown,
    ]),
  );
}
