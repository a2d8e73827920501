import { maxTurnsOf } from "@envs/core/engine";

import { type Exported, quoted, serveCommand, type TrainingSource } from "../format.ts";

/** A Python script that trains with TRL's GRPO over the Open Reward Standard. */
export function trl(source: TrainingSource): Exported {
  const { environment, url, split, count, model } = source;
  const { name } = environment;
  const text = `"""GRPO on ${name} with TRL, over the Open Reward Standard.

1. ${serveCommand(source)
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', String.raw`\"\"\"`)}
2. pip install "trl[openreward]"
3. python this_file.py
"""

import os

from trl import GRPOConfig, GRPOTrainer
from trl.experimental.openreward import OpenRewardSpec

URL = ${quoted(url)}
# Without these, the client of OpenReward looks at subdomains of the address. A key is taken from OPENREWARD_API_KEY.
os.environ |= {"OPENREWARD_API_URL": URL, "OPENREWARD_SESSION_URL": URL}

spec = OpenRewardSpec(
    URL,
    env_name=${quoted(name)},
    split=${quoted(split)},
    num_tasks=${count},
)

trainer = GRPOTrainer(
    model=${quoted(model)},
    train_dataset=spec.train_dataset,
    environment_factory=spec.environment_factory,
    reward_funcs=spec.reward_funcs,
    args=GRPOConfig(
        output_dir=${quoted(`${name}-grpo`)},
        max_steps=100,
        num_generations=8,
        per_device_train_batch_size=8,
        max_completion_length=4096,
        # As often as the model may speak; an episode that is cut short has no reward.
        max_tool_calling_iterations=${maxTurnsOf(environment)},
        logging_steps=1,
    ),
)

if __name__ == "__main__":
    trainer.train()
`;
  return { files: [{ path: `${name}_grpo.py`, text }] };
}
