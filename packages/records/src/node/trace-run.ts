import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { Rollout } from "@envs/core";

import { fieldsOf, parseJson, textOf } from "../json.ts";
import type { Metadata } from "../metadata.ts";

/** Verifiers 0.4 writes episodes to this file. */
export const tracesFile = "traces.jsonl";

/** Whether a folder is a run of verifiers 0.4, which has no `metadata.json`. */
export function isTraceRun(path: string): boolean {
  return existsSync(join(path, tracesFile)) && !existsSync(join(path, "metadata.json"));
}

/**
 * Reads a run of verifiers 0.4 from its configuration, and the rest from the name of its folder or the one above:
 * `<env>--<model>--<harness>--<id>`.
 */
export async function traceMetadata(path: string): Promise<Metadata> {
  const folder = basename(path).includes("--") ? basename(path) : basename(dirname(path));
  const [environment = folder, model = "unknown"] = folder.split("--");
  const read = (file: string): Promise<unknown> =>
    readFile(join(path, "configs", file), "utf8").then(parseJson);
  const config = fieldsOf(
    await read("resolved/eval.json")
      .catch(() => read("eval.json"))
      .catch(() => undefined),
  );
  const { taskset, env, agent } = config;
  return {
    schema_version: 0,
    env_id: textOf(fieldsOf(taskset ?? fieldsOf(env)["taskset"] ?? env)["id"]) ?? environment,
    env_args: {},
    model: textOf(config["model"]) ?? textOf(fieldsOf(agent)["model"]) ?? model,
    num_examples: 0,
    rollouts_per_example: 1,
    sampling_args: fieldsOf(config["sampling"]),
    pass_threshold: 0.5,
    config,
  };
}

/** The counts of a run whose metadata lacks them. */
export function countsOf(
  rollouts: readonly Rollout[],
): Pick<Metadata, "num_examples" | "rollouts_per_example"> {
  const groups = Map.groupBy(rollouts, ({ exampleKey }) => exampleKey);
  const sizes = Array.from(groups.values(), (group) => group.length);
  return { num_examples: groups.size, rollouts_per_example: Math.max(1, ...sizes) };
}
