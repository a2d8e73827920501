import { maxTurnsOf } from "@envs/core/engine";

import { type ExportResult, quoteString } from "../export-files.ts";
import {
  rejectGroupScores,
  rejectMedia,
  serveCommand,
  type TrainingSource,
} from "../training-source.ts";

/** Exports a Python script that trains with TRL's GRPO over the Open Reward Standard. */
export function trl(source: TrainingSource): ExportResult {
  rejectGroupScores(source, "TRL");
  rejectMedia(source, "TRL");
  const { environment, url, split, count, model } = source;
  const { name } = environment;
  const text = `"""Train on ${name} with TRL's GRPO, over the Open Reward Standard.

1. ${serveCommand(source)
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', String.raw`\"\"\"`)}
2. pip install "trl[openreward]"
3. python this_file.py
"""

import os

from trl import GRPOConfig, GRPOTrainer
from trl.experimental.openreward import OpenRewardSpec

URL = ${quoteString(url)}
# Without these variables, the OpenReward client uses subdomains of URL. It reads the API key from OPENREWARD_API_KEY.
os.environ |= {"OPENREWARD_API_URL": URL, "OPENREWARD_SESSION_URL": URL}

spec = OpenRewardSpec(
    URL,
    env_name=${quoteString(name)},
    split=${quoteString(split)},
    num_tasks=${count},
)


class EpisodeTrainer(GRPOTrainer):
    """Ends a rollout with its episode. TRL would let the model continue after it (huggingface/trl#5389)."""

    def _get_tool_suffix_ids(self, tool_messages):
        if str(tool_messages[-1]["content"]).endswith("The episode is over."):
            # TRL drops a tool result that does not fit, and ends the rollout before it.
            return [0] * (self.max_completion_length + 1)
        return super()._get_tool_suffix_ids(tool_messages)


trainer = EpisodeTrainer(
    model=${quoteString(model)},
    train_dataset=spec.train_dataset,
    environment_factory=spec.environment_factory,
    reward_funcs=spec.reward_funcs,
    args=GRPOConfig(
        output_dir=${quoteString(`${name}-grpo`)},
        max_steps=100,
        num_generations=8,
        per_device_train_batch_size=8,
        max_completion_length=4096,
        # The environment's turn limit: an episode that TRL stops earlier has no reward.
        max_tool_calling_iterations=${maxTurnsOf(environment)},
        logging_steps=1,
    ),
)

if __name__ == "__main__":
    trainer.train()
`;
  return { files: [{ path: `${name}_grpo.py`, text }] };
}
