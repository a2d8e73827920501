import type { Metadata } from "@envs/records";
import { findRuns, readMetadata } from "@envs/records/node";
import * as z from "zod";

import { formatTable } from "../terminal/output.ts";
import { clean, paint } from "../terminal/text.ts";
import { figure } from "../text/figures.ts";
import { nearPath } from "../text/run-path.ts";
import { localDateTime } from "../text/time.ts";

/** Lists the runs in a folder as a table or as JSON, newest first. */
export async function listRuns(
  outputs: string,
  { limit, isJson }: { readonly limit: number | undefined; readonly isJson: boolean },
): Promise<string> {
  const runs: { path: string; metadata: Metadata }[] = [];
  for (const path of (await findRuns(outputs)).slice(0, limit))
    runs.push({ path, metadata: await readMetadata(path) });
  if (isJson) return JSON.stringify(runs.map(({ path, metadata }) => ({ run: path, ...metadata })));
  if (runs.length === 0)
    return `No runs found in ${outputs}. Create one: envs eval tictactoe -m policy:optimal`;
  const heading = ["environment", "date", "model", "rollouts", "reward"];
  const widest = Math.max(...runs.map(({ metadata }) => clean(metadata.model).length), 5);
  const table = formatTable([
    heading.map((title) => (title === "model" ? title.padEnd(widest) : title)),
    ...runs.map(({ metadata }) => [
      clean(metadata.env_id),
      localDateTime(metadata.date ?? "–"),
      clean(metadata.model).padEnd(widest),
      rolloutCount(metadata),
      figure(metadata.avg_reward),
    ]),
  ]);
  const [first = "", ...rest] = table.split("\n");
  return [
    paint("dim", first),
    ...rest.flatMap((row, index) => [row, paint("dim", `  ${nearPath(runs[index]!.path)}`)]),
  ].join("\n");
}

const countsSchema = z.object({ scored: z.number(), total: z.number() });

function rolloutCount(metadata: Metadata): string {
  const counts = countsSchema.safeParse(metadata["counts"]);
  const planned = metadata.num_examples * metadata.rollouts_per_example;
  if (!counts.success) return planned > 0 ? String(planned) : "–";
  const { total } = counts.data;
  return metadata["is_complete"] === false && planned > total
    ? `${total} of ${planned}`
    : String(total);
}
