import { UsageError } from "@envs/terminal";

import { type Exported, quoted, serveCommand, type TrainingSource } from "../format.ts";

/** The tasksets of verifiers that take our server as it is. */
export const tasksets = ["openenv", "nemo-gym"] as const;

/**
 * A configuration of prime-rl. Environments with tools go through the taskset `nemo-gym`, which calls tools natively;
 * with `openenv` the model writes its actions as text.
 */
export function primeRl(source: TrainingSource, taskset?: string): Exported {
  const { environment, model } = source;
  const { name, definition } = environment;
  const chosen = taskset ?? (definition.tools === undefined ? "openenv" : "nemo-gym");
  if (!isTaskset(chosen))
    throw new UsageError(`--taskset is ${JSON.stringify(chosen)}. Choose: ${tasksets.join(", ")}.`);
  const rows = `${name}.jsonl`;
  const isNemo = chosen === "nemo-gym";
  const text = `# ${name} in prime-rl, through the taskset ${chosen} of verifiers.
# 1. ${serveCommand(source)}
${isNemo ? `# 2. ${rowsCommand(source, rows)}\n# 3.` : "# 2."} uv run rl @ ${name}.toml

max_steps = 100
seq_len = 4096

[model]
name = ${quoted(model)}

[orchestrator]
batch_size = 128

[orchestrator.train.sampling]
max_completion_tokens = 1024

[inference]

[[orchestrator.train.source]]
name = ${quoted(name)}
group_size = 8
${isNemo ? nemoGym(source, rows) : openEnv(source)}`;
  return {
    files: [{ path: `${name}.toml`, text }],
    ...(isNemo ? { notes: [`Its rows are to be written, too: ${rowsCommand(source, rows)}`] } : {}),
  };
}

function isTaskset(text: string): text is (typeof tasksets)[number] {
  return tasksets.some((name) => name === text);
}

function openEnv({ environment, url, split, count }: TrainingSource): string {
  const resets = Array.from(
    { length: count },
    (_, index) => `  { split = ${quoted(split)}, index = ${index} },\n`,
  );
  return `env.taskset.id = "openenv"
env.taskset.base_url = ${quoted(`${url}/${environment.name}`)}
env.player.harness.id = "null"
env.player.runtime.type = "subprocess"
env.taskset.resets = [
${resets.join("")}]
`;
}

function nemoGym({ environment, url }: TrainingSource, rows: string): string {
  return `env.taskset.id = "nemo-gym"
env.taskset.dataset = ${quoted(rows)}
env.taskset.task.resources_url = ${quoted(`${url}/nemo/${environment.name}`)}
env.agent.harness.id = "null"
env.agent.runtime.type = "subprocess"
`;
}

function rowsCommand({ loaded, split, count, config }: TrainingSource, rows: string): string {
  const given = Object.keys(config).length === 0 ? "" : ` --config '${JSON.stringify(config)}'`;
  return `envs export nemo ${loaded.reference} --split ${split} --count ${count}${given} -o ${rows}`;
}
