/** Writes `model.safetensors` from the last checkpoint of a training run: `node src/pack.ts <run>`. */
import { writeFile } from "node:fs/promises";

import { writeCheckpoint } from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

const [run = ""] = process.argv.slice(2);
const { path, checkpoint } = await findCheckpoint(run);
const bytes = writeCheckpoint(checkpoint, { withOptimizer: false });
await writeFile(new URL("../model.safetensors", import.meta.url), bytes);
console.log(`${path}: ${(bytes.length / 1e6).toFixed(2)} MB without its optimiser`);
