import { shellArgument } from "@envs/cli/kit";
import { maxTurnsOf } from "@envs/core/engine";

import type { ExportResult } from "../export-files.ts";
import {
  rejectGroupScores,
  rejectMedia,
  serveCommand,
  type TrainingSource,
} from "../training-source.ts";

/** Exports a shell script that trains with SkyRL, through its OpenReward integration. */
export function skyrl(source: TrainingSource): ExportResult {
  rejectGroupScores(source, "SkyRL");
  rejectMedia(source, "SkyRL");
  const { environment, url, split, count, model } = source;
  const { name } = environment;
  const folder = "examples/train_integrations/openreward";
  const text = `#!/usr/bin/env bash
# Train on ${name} with SkyRL, through its OpenReward integration. Run this script in a checkout of SkyRL.
# First start the server: ${serveCommand(source)}
set -euo pipefail

# The server's address. If the server requires an API key, set OPENREWARD_API_KEY.
export OPENREWARD_API_URL=${shellArgument(url)}
export OPENREWARD_SESSION_URL=${shellArgument(url)}
export OPENREWARD_API_KEY="\${OPENREWARD_API_KEY:-none}"
# SkyRL resumes from the last checkpoint in its folder, so each environment needs its own folder.
export DATA_DIR="\${DATA_DIR:-$PWD/data/${name}}"
export CKPT_DIR="\${CKPT_DIR:-$DATA_DIR/checkpoints}"
export EXPORT_DIR="\${EXPORT_DIR:-$DATA_DIR/export}"
export NUM_GPUS="\${NUM_GPUS:-1}"
export LOGGER="\${LOGGER:-console}"
export MODEL="\${MODEL:-${model}}"
export RUN_NAME=${shellArgument(name)}

pip install openreward pyarrow
python ${folder}/prepare_tasks.py \\
  --env ${shellArgument(name)} --split ${shellArgument(split)} --max-tasks ${count} --output "$DATA_DIR/train.parquet"
bash ${folder}/run_openreward.sh generator.max_turns=${maxTurnsOf(environment)}
`;
  return { files: [{ path: `${name}-skyrl.sh`, text, isExecutable: true }] };
}
