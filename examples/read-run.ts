// Write a run to disk, one line for each rollout as it finishes, and read it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { policy, rollouts } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";
import { schemaVersion } from "@envs/records";
import { createRun, readRun } from "@envs/records/node";
import reverseText from "@envs/reverse-text";

const folder = await mkdtemp(join(tmpdir(), "envs-"));
const environment = reverseText({ maxLength: 60 });

// #region write
const run = await createRun(join(folder, "my-run"), {
  schema_version: schemaVersion,
  env_id: environment.name,
  env_args: environment.config,
  model: "policy:echo",
  num_examples: 3,
  rollouts_per_example: 2,
  sampling_args: {},
  pass_threshold: 0.5,
});
for await (const rollout of rollouts(environment, {
  model: policy("echo"),
  examples: 3,
  rolloutsPerExample: 2,
}))
  await run.append(rollout);
await run.close();
// #endregion

// #region read
const stored = await readRun(join(folder, "my-run"));
console.log(
  `${stored.metadata.env_id} by ${stored.metadata.model}: ${stored.rollouts.length} rollouts`,
);

const sum = createSummarizer(["similarity", "exact"]);
for (const rollout of stored.rollouts) {
  sum.add(rollout);
  if (rollout.status === "failed") console.log(`failed: ${rollout.error.code}`);
}
const { scores, stopReasons } = sum.summary();
console.log(`exact ${scores.exact.mean}, ended by ${Object.keys(stopReasons).join(", ")}`);
// #endregion

await rm(folder, { recursive: true });
