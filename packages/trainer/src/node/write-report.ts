import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createFolder } from "@envs/records/node";

import { collapseSigns } from "../report/collapse-signs.ts";
import { trainingMarkdown } from "../report/markdown.ts";
import { type MetricsRow, readMetrics } from "../report/metrics.ts";
import { plots } from "../report/plots.ts";
import { svgToPng } from "../report/png.ts";
import type { ReportedPhase, TokenCounts } from "../report/training-report.ts";
import { baseModelOf } from "../train/model-settings.ts";
import type { TrainingPlan } from "../train/plan.ts";
import { readSampleRollouts } from "./saved-rollouts.ts";
import { openStages } from "./stages.ts";
import { costOf } from "./token-meter.ts";
import { readRecord, readState, readTokenizerNote } from "./training-folder.ts";

/** Writes `report.md` and the plots of a run, which may be incomplete. Returns the path of the report. */
export async function writeReport(path: string): Promise<string> {
  const record = await readRecord(path);
  const state = await readState(path);
  const rows = await readMetrics(join(path, "metrics.jsonl"));
  const { cells } = await openStages(path);
  const { plan, environment } = record;
  const price = record.service?.price;
  const title = `${environment.name}, seed ${plan.seed}`;
  const curves = await drawCurves(path, rows, title);
  const report = join(path, "report.md");
  const text = trainingMarkdown({
    run: `Training on ${environment.name}`,
    environment: environment.name,
    model: modelName(plan, await readTokenizerNote(path)),
    seed: plan.seed,
    versions: record.versions,
    command: record.command,
    seconds: state?.seconds ?? rows.at(-1)?.at ?? 0,
    phases: reportedPhases(plan, rows),
    tokens: state?.tokens,
    cost: price && state?.tokens && costOf(state.tokens, price),
    evaluations: cells,
    curves,
    rollouts: await readSampleRollouts(path),
    warnings: collapseSigns(rows),
  });
  await writeFile(report, text);
  return report;
}

async function drawCurves(
  path: string,
  rows: readonly MetricsRow[],
  title: string,
): Promise<{ title: string; path: string }[]> {
  const folder = join(path, "plots");
  await createFolder(folder);
  const curves: { title: string; path: string }[] = [];
  for (const plot of plots(rows, title)) {
    await writeFile(join(folder, `${plot.file}.svg`), plot.svg);
    await writeFile(join(folder, `${plot.file}.png`), await svgToPng(plot.svg));
    curves.push({ title: plot.title, path: `plots/${plot.file}.png` });
  }
  return curves;
}

function modelName({ model }: TrainingPlan, tokenizer: string | undefined): string {
  if ("loraRank" in model) return `${baseModelOf(model)} (LoRA, rank ${model.loraRank})`;
  if ("from" in model) return model.from;
  const note = tokenizer === undefined ? "" : `; ${tokenizer}`;
  return `a new model (width ${model.width}, ${model.layers} layers, ${model.vocabulary} tokens${note})`;
}

function reportedPhases(plan: TrainingPlan, rows: readonly MetricsRow[]): ReportedPhase[] {
  let phaseStart = 0;
  return Object.entries(plan.phases).flatMap(([name, { kind, ...settings }]) => {
    const phaseRows = rows.filter((row) => row.phase === name && row.kind !== "eval");
    const last = rows.findLast((row) => row.phase === name);
    if (last === undefined) return [];
    const seconds = last.at - phaseStart;
    phaseStart = last.at;
    const steps = phaseRows.at(-1)?.step ?? 0;
    const planned = "steps" in settings ? settings.steps : steps;
    return [{ name, kind, steps, planned, seconds, settings, tokens: sumOfTokens(phaseRows) }];
  });
}

/** `undefined` for runs of older versions, which did not count tokens. */
function sumOfTokens(rows: readonly MetricsRow[]): TokenCounts | undefined {
  const sumOf = (name: keyof TokenCounts): number =>
    rows.reduce((sum, { values }) => sum + (values[`tokens/${name}`] ?? 0), 0);
  if (rows.every(({ values }) => values["tokens/trained"] === undefined)) return undefined;
  return { prompt: sumOf("prompt"), sampled: sumOf("sampled"), trained: sumOf("trained") };
}
