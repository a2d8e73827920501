import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The number of rollouts of a run that `writeRun` writes. */
export const rollouts = 10_000;

/** Writes a run with replies of a length, and returns its path. */
export async function writeRun(path: string, replyLength: number): Promise<string> {
  await mkdir(path);
  const metadata = {
    schema_version: 1,
    env_id: "bench",
    env_args: {},
    model: "model",
    num_examples: rollouts / 4,
    rollouts_per_example: 4,
    sampling_args: {},
    weights: { right: 1 },
    is_complete: true,
  };
  await writeFile(join(path, "metadata.json"), JSON.stringify(metadata));
  const reply = "The quick brown fox jumps over the lazy dog. ".repeat(replyLength / 45);
  for (let start = 0; start < rollouts; start += 500) {
    const lines = Array.from({ length: 500 }, (_, index) => row(start + index, reply));
    await appendFile(join(path, "results.jsonl"), lines.join(""));
  }
  return path;
}

function row(index: number, reply: string): string {
  const right = index % 3 === 0 ? 1 : 0;
  const record = {
    example_id: Math.floor(index / 4),
    example_key: `k${Math.floor(index / 4)}`,
    rollout_index: index % 4,
    prompt: [{ role: "user", content: `Question ${index}?` }],
    completion: [{ role: "assistant", content: `${reply} ${index}` }],
    reward: right,
    metrics: { right },
    stop_condition: "end",
    error: null,
    token_usage: { input_tokens: 20, output_tokens: 100 },
  };
  return `${JSON.stringify(record)}\n`;
}
