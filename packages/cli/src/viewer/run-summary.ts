import { failureText } from "../evaluation/failures.ts";
import { savedCostText } from "../evaluation/price.ts";
import { scoreTable } from "../evaluation/score-table.ts";
import type { ViewedRun } from "../runs/run-folder.ts";
import { clean, paint } from "../terminal/text.ts";
import { labelledLines, wrap } from "../terminal/wrap.ts";
import { nearPath } from "../text/run-path.ts";
import { duration, localDateTime } from "../text/time.ts";

/** Formats a run's metadata, score table and warnings. */
export function summaryLines(run: ViewedRun, columns: number): readonly string[] {
  const { metadata, path, summary, weights, problems } = run;
  const { env_id: environment, model, date, time, env_args: config } = metadata;
  const options = Object.entries(config).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const sampling = Object.entries(metadata.sampling_args)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const { num_examples: count, select } = metadata;
  const selected = typeof select === "string" ? ` selected by ${select}` : "";
  const examples = `${count < 0 ? "all" : count}${selected}`;
  const fields: [string, string][] = [
    ["examples", `${examples}, ${metadata.rollouts_per_example} rollouts each`],
    ["date", date === null || date === undefined ? "" : localDateTime(date)],
    ["config", options.join(", ")],
    ["sampling", sampling.join(", ")],
    ["seed", metadata.seed === null || metadata.seed === undefined ? "" : String(metadata.seed)],
    ["time", typeof time === "number" ? duration(time) : ""],
    ["cost", savedCostText(metadata)],
    ["saved", nearPath(path)],
  ];
  return [
    `${paint("bold", clean(environment))} · ${paint("bold", clean(model))}`,
    ...fields.flatMap(([name, text]) =>
      text === "" ? [] : labelledLines(name.padEnd(10), clean(text), columns),
    ),
    "",
    ...scoreTable(summary, weights).split("\n"),
    ...failureLines(run, columns),
    ...warnings(run, problems.length),
  ];
}

function failureLines({ summary, path }: ViewedRun, columns: number): readonly string[] {
  const text = failureText(summary, path);
  return text === "" ? [] : ["", ...wrap(text, columns)];
}

function warnings({ metadata, problems }: ViewedRun, unreadable: number): readonly string[] {
  const lines = problems.slice(0, 3).map(({ line }) => line);
  const more = unreadable > lines.length ? " and others" : "";
  return [
    ...(metadata["is_complete"] === false
      ? ["", paint("yellow", "This run is incomplete. To resume it: envs eval --resume")]
      : []),
    ...(unreadable > 0
      ? ["", paint("yellow", `Invalid lines in results.jsonl: ${lines.join(", ")}${more}.`)]
      : []),
  ];
}
