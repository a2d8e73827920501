import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import type { Rollout } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import type { Metadata } from "../metadata.ts";
import { isRollout, parseEpisode } from "../read-trace.ts";
import { lines } from "./json-lines.ts";
import type { StoredRun } from "./stored-run.ts";

const tracesFile = "traces.jsonl";

/** Whether a folder is a run of verifiers 0.4, which has no `metadata.json`. */
export function isTraceRun(path: string): boolean {
  return existsSync(join(path, tracesFile)) && !existsSync(join(path, "metadata.json"));
}

/** Reads a run of verifiers 0.4: each trace of an episode is a rollout, and its side branches are `branches`. */
export async function readTraces(path: string): Promise<StoredRun> {
  const rollouts: Rollout[] = [];
  const problems: { line: number; problem: string }[] = [];
  const copies = new Map<string, number>();
  for await (const { number, text } of lines(join(path, tracesFile)))
    for (const read of parseEpisode(text)) {
      if (!isRollout(read)) {
        problems.push({ line: number, problem: read.problem });
        continue;
      }
      // Episodes have no index within their example.
      const rolloutIndex = copies.get(read.exampleKey) ?? 0;
      copies.set(read.exampleKey, rolloutIndex + 1);
      rollouts.push({ ...read, rolloutIndex });
    }
  return { path, metadata: await traceMetadata(path, rollouts), rollouts, problems };
}

/** What `configs/eval.json` says of the run; the name of the folder says the rest: `<env>--<model>--<harness>--<id>`. */
async function traceMetadata(path: string, rollouts: readonly Rollout[]): Promise<Metadata> {
  const [environment = "unknown", model = "unknown"] = basename(path).split("--");
  const config = await readFile(join(path, "configs/eval.json"), "utf8")
    .then((text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
    .catch((error: unknown): Readonly<Record<string, unknown>> => ({ problem: messageOf(error) }));
  const groups = Map.groupBy(rollouts, ({ exampleKey }) => exampleKey);
  return {
    schema_version: 0,
    env_id: rollouts[0]?.environment || environment,
    env_args: {},
    model: typeof config["model"] === "string" ? config["model"] : model,
    num_examples: groups.size,
    rollouts_per_example: Math.max(1, ...[...groups.values()].map((group) => group.length)),
    sampling_args:
      typeof config["sampling"] === "object" && config["sampling"] !== null
        ? (config["sampling"] as Readonly<Record<string, unknown>>)
        : {},
    pass_threshold: 0.5,
  };
}
