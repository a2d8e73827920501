import { findRuns, readMetadata } from "@envs/core/node";
import type { Metadata } from "@envs/core/records";
import { clean, formatTable, paint } from "@envs/terminal";
import * as z from "zod";

import { nearPath } from "../render/run-summary.ts";
import { figure } from "../render/score-table.ts";
import { when } from "../render/time.ts";

/** Lists the runs below a folder, as a table or as JSON. */
export async function listRuns(
  outputs: string,
  { limit, isJson }: { readonly limit: number | undefined; readonly isJson: boolean },
): Promise<string> {
  const runs: { path: string; metadata: Metadata }[] = [];
  for (const path of (await findRuns(outputs)).slice(0, limit))
    runs.push({ path, metadata: await readMetadata(path) });
  if (isJson) return JSON.stringify(runs.map(({ path, metadata }) => ({ run: path, ...metadata })));
  if (runs.length === 0)
    return `There are no runs below ${outputs}. Make one: envs eval tictactoe -m policy:optimal`;
  const heading = ["environment", "date", "model", "rollouts", "reward"];
  const widest = Math.max(...runs.map(({ metadata }) => clean(metadata.model).length), 5);
  const table = formatTable([
    heading.map((title) => (title === "model" ? title.padEnd(widest) : title)),
    ...runs.map(({ metadata }) => [
      clean(metadata.env_id),
      when(metadata.date ?? "–"),
      clean(metadata.model).padEnd(widest),
      rolloutsOf(metadata),
      figure(metadata.avg_reward),
    ]),
  ]);
  const [first = "", ...rest] = table.split("\n");
  return [
    paint("dim", first),
    ...rest.flatMap((row, index) => [row, paint("dim", `  ${nearPath(runs[index]!.path)}`)]),
  ].join("\n");
}

const counts = z.object({ scored: z.number(), total: z.number() });

function rolloutsOf(metadata: Metadata): string {
  const counted = counts.safeParse(metadata["counts"]);
  const planned = metadata.num_examples * metadata.rollouts_per_example;
  if (!counted.success) return planned > 0 ? String(planned) : "–";
  const { total } = counted.data;
  return metadata["is_complete"] === false && planned > total
    ? `${total} of ${planned}`
    : String(total);
}
