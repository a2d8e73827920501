import { relative } from "node:path";

import { clean, paint } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";

import type { ViewedRun } from "../runs/open-run.ts";
import { duration } from "./progress.ts";
import { scoreTable } from "./score-table.ts";
import { when } from "./time.ts";

/** What a run was and came to, in lines. */
export function summaryLines(run: ViewedRun, columns: number): readonly string[] {
  const { metadata, path, summary, weights, problems } = run;
  const { env_id: environment, model, date, time, env_args: config } = metadata;
  const options = Object.entries(config).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const sampling = Object.entries(metadata.sampling_args)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const examples = metadata.num_examples < 0 ? "all" : String(metadata.num_examples);
  const facts: [string, string][] = [
    ["examples", `${examples}, ${metadata.rollouts_per_example} rollouts each`],
    ["date", date === null || date === undefined ? "" : when(date)],
    ["config", options.join(", ")],
    ["sampling", sampling.join(", ")],
    ["seed", metadata.seed === null || metadata.seed === undefined ? "" : String(metadata.seed)],
    ["time", typeof time === "number" ? duration(time) : ""],
    ["saved", nearPath(path)],
  ];
  return [
    `${paint("bold", clean(environment))} · ${paint("bold", clean(model))}`,
    ...facts.flatMap(([name, text]) => (text === "" ? [] : fact(name, clean(text), columns))),
    "",
    ...scoreTable(summary, weights).split("\n"),
    ...notes(run, problems.length),
  ];
}

function fact(name: string, text: string, columns: number): readonly string[] {
  const label = name.padEnd(10);
  return wrap(text, columns - label.length).map((line, index) =>
    index === 0 ? paint("dim", label) + line : " ".repeat(label.length) + line,
  );
}

function notes({ metadata, problems }: ViewedRun, unreadable: number): readonly string[] {
  const lines = problems.slice(0, 3).map(({ line }) => line);
  const more = unreadable > lines.length ? " and others" : "";
  return [
    ...(metadata["is_complete"] === false
      ? ["", paint("yellow", "This run is not complete. envs eval --resume goes on with it.")]
      : []),
    ...(unreadable > 0
      ? ["", paint("yellow", `Lines that could not be read: ${lines.join(", ")}${more}.`)]
      : []),
  ];
}

/** A path as seen from here, if it is below. */
export function nearPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" || near.startsWith("..") ? path : near;
}
