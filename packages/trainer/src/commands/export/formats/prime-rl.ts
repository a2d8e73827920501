import { shellArgument, UsageError } from "@envs/cli/kit";

import { type ExportResult, quoteString } from "../export-files.ts";
import {
  configFlag,
  rejectGroupScores,
  rejectMedia,
  serveCommand,
  type TrainingSource,
} from "../training-source.ts";

/** The tasksets of verifiers that support our server. */
export const tasksets = ["openenv", "nemo-gym"] as const;

/**
 * Exports a prime-rl configuration. Environments with tools or images use the taskset `nemo-gym`, which supports both; with
 * `openenv`, the model reads and writes text.
 */
export function primeRl(source: TrainingSource, tasksetName?: string): ExportResult {
  const { environment, model } = source;
  const { name, definition } = environment;
  const isText = definition.tools === undefined && (definition.media?.kinds ?? []).length === 0;
  const taskset = tasksetName ?? (isText ? "openenv" : "nemo-gym");
  if (!isTaskset(taskset))
    throw new UsageError(
      `--taskset is ${JSON.stringify(taskset)}. It must be one of: ${tasksets.join(", ")}.`,
    );
  rejectGroupScores(source, "prime-rl");
  if (taskset === "openenv") rejectMedia(source, "the taskset openenv of prime-rl");
  const rows = `${name}.jsonl`;
  const isNemo = taskset === "nemo-gym";
  const text = `# Train on ${name} with prime-rl, through the taskset ${taskset} of verifiers.
# 1. ${serveCommand(source)}
${isNemo ? `# 2. ${rowsCommand(source, rows)}\n# 3.` : "# 2."} uv run rl @ ${name}.toml

max_steps = 100
seq_len = 4096

[model]
name = ${quoteString(model)}

[orchestrator]
batch_size = 128

[orchestrator.train.sampling]
max_completion_tokens = 1024

[inference]

[[orchestrator.train.source]]
name = ${quoteString(name)}
group_size = 8
${isNemo ? nemoGym(source, rows) : openEnv(source)}`;
  return {
    files: [{ path: `${name}.toml`, text }],
    notes: isNemo ? [`Export the dataset as well: ${rowsCommand(source, rows)}`] : [],
  };
}

function isTaskset(text: string): text is (typeof tasksets)[number] {
  return tasksets.some((name) => name === text);
}

function openEnv({ environment, url, split, count }: TrainingSource): string {
  const resets = Array.from(
    { length: count },
    (_, index) => `  { split = ${quoteString(split)}, index = ${index} },\n`,
  );
  return `env.taskset.id = "openenv"
env.taskset.base_url = ${quoteString(`${url}/${environment.name}`)}
env.player.harness.id = "null"
env.player.runtime.type = "subprocess"
env.taskset.resets = [
${resets.join("")}]
`;
}

function nemoGym({ environment, url }: TrainingSource, rows: string): string {
  return `env.taskset.id = "nemo-gym"
env.taskset.dataset = ${quoteString(rows)}
env.taskset.task.resources_url = ${quoteString(`${url}/nemo/${environment.name}`)}
env.agent.harness.id = "null"
env.agent.runtime.type = "subprocess"
`;
}

function rowsCommand({ loaded, split, count, config }: TrainingSource, rows: string): string {
  return [
    `envs export nemo ${shellArgument(loaded.reference)} --split ${shellArgument(split)} --count ${count}`,
    ...configFlag(config),
    `-o ${shellArgument(rows)}`,
  ].join(" ");
}
