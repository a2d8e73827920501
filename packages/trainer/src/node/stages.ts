import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { writeFileAtomically } from "../files.ts";
import { type EvaluationCell, evaluationCell } from "../report/training-report.ts";
import { evaluationColumns, type EvaluationResult } from "../train/evaluations.ts";
import type { TrainingPosition } from "../train/train.ts";

/**
 * Exact results of a stage, by name: shares of all lines of play, weighted by their probability. A name that no evaluation at
 * temperature 0 has gets separate rows.
 */
export type ExactFigures = Readonly<
  Record<
    string,
    { readonly shares: Readonly<Record<string, number>>; readonly note?: string | undefined }
  >
>;

const stageSchema = z.object({
  phase: z.string(),
  step: z.number(),
  cells: z.array(evaluationCell),
});

type Stage = z.output<typeof stageSchema>;

/** The evaluations before and after each phase: `stages.json`. */
export interface Stages {
  readonly cells: readonly EvaluationCell[];
  append(stage: Stage): Promise<void>;
}

/** Opens the stages of a run. Removes the stages after `from`, which the resumed run evaluates again. */
export async function openStages(
  path: string,
  from?: TrainingPosition,
  phases: readonly string[] = [],
): Promise<Stages> {
  const file = join(path, "stages.json");
  const text = await readFile(file, "utf8").catch(() => "[]");
  const order = ({ phase, step }: TrainingPosition): number => phases.indexOf(phase) * 1e9 + step;
  const stages = z
    .array(stageSchema)
    .parse(JSON.parse(text))
    .filter((stage) => from === undefined || phases.length === 0 || order(stage) <= order(from));
  return {
    get cells() {
      return stages.flatMap(({ cells }) => cells);
    },
    async append(stage) {
      stages.push(stage);
      await writeFileAtomically(file, Buffer.from(`${JSON.stringify(stages, undefined, 2)}\n`));
    },
  };
}

/**
 * Converts the evaluations of a stage to cells. Scores of 0 or 1 per game become counts, so that the report can add
 * confidence intervals.
 */
export function evaluationCells(
  { phase, step, results }: TrainingPosition & { readonly results: readonly EvaluationResult[] },
  exact: ExactFigures | undefined,
): EvaluationCell[] {
  const stageName = step === 0 ? "before" : `after ${phase}`;
  const cells = results.map((result): EvaluationCell => {
    const { spec, summary } = result;
    const games = summary.counts.scored;
    const statistics = new Map(Object.entries(summary.scores));
    const { reward: _, ...shares } = evaluationColumns(result);
    const counts: Record<string, number> = {};
    const means: Record<string, number> = {};
    for (const [name, share] of Object.entries(shares)) {
      const score = spec.columns?.[name] ?? name;
      const { count, min, max } = statistics.get(score) ?? {};
      if (share === null || count === undefined) continue;
      const isCounted = count === games && isBit(min) && isBit(max) && isWhole(share * games);
      if (isCounted) counts[name] = Math.round(share * games);
      else means[name] = share;
    }
    const figures = spec.temperature === 0 ? exact?.[opponentOf(spec.name)] : undefined;
    return {
      stage: stageName,
      opponent: opponentOf(spec.name),
      temperature: spec.temperature,
      games,
      counts,
      means,
      exact: figures?.shares,
      exactNote: figures?.note,
    };
  });
  const shown = new Set(cells.flatMap(({ opponent, exact }) => (exact ? [opponent] : [])));
  const others = Object.entries(exact ?? {}).filter(([name]) => !shown.has(name));
  return [
    ...cells,
    ...others.map(([opponent, { shares, note }]) => ({
      stage: stageName,
      opponent,
      temperature: 0,
      games: 0,
      counts: {},
      exact: shares,
      exactNote: note,
    })),
  ];
}

/** Removes the temperature from a name: `random, T 0` → `random`. */
function opponentOf(name: string): string {
  return name.replace(/, T .*$/u, "");
}

function isBit(value: number | null | undefined): boolean {
  return value === 0 || value === 1;
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}
