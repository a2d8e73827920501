import { maxTurnsOf } from "@envs/core/engine";

import { type Exported, serveCommand, type TrainingSource } from "../format.ts";

/** The commands that train with SkyRL, through its own integration of OpenReward. */
export function skyrl(source: TrainingSource): Exported {
  const { environment, url, split, count, model } = source;
  const { name } = environment;
  const folder = "examples/train_integrations/openreward";
  const text = `#!/usr/bin/env bash
# ${name} in SkyRL, through its integration of OpenReward. Run it in a checkout of SkyRL.
# Before: ${serveCommand(source)}
set -euo pipefail

# Where the client of OpenReward finds the server; the key is whatever the server asks for.
export OPENREWARD_API_URL=${shell(url)}
export OPENREWARD_SESSION_URL=${shell(url)}
export OPENREWARD_API_KEY="\${OPENREWARD_API_KEY:-none}"
# SkyRL goes on from the last checkpoint that it finds: each environment has a folder of its own.
export DATA_DIR="\${DATA_DIR:-$PWD/data/${name}}"
export CKPT_DIR="\${CKPT_DIR:-$DATA_DIR/checkpoints}"
export EXPORT_DIR="\${EXPORT_DIR:-$DATA_DIR/export}"
export NUM_GPUS="\${NUM_GPUS:-1}"
export LOGGER="\${LOGGER:-console}"
export MODEL="\${MODEL:-${model}}"
export RUN_NAME=${shell(name)}

pip install openreward pyarrow
python ${folder}/prepare_tasks.py \\
  --env ${shell(name)} --split ${shell(split)} --max-tasks ${count} --output "$DATA_DIR/train.parquet"
bash ${folder}/run_openreward.sh generator.max_turns=${maxTurnsOf(environment)}
`;
  return { files: [{ path: `${name}-skyrl.sh`, text, isProgram: true }] };
}

/** A word of a shell command. */
function shell(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
