import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

import { ConfigError } from "@envs/core";
import * as z from "zod";

import { type Checkpoint, readCheckpoint } from "../checkpoint.ts";

const prefix = "tiny:";

/**
 * Loads the tiny model of a reference: `tiny:` followed by a checkpoint file, the folder of a training run, or the name of
 * a package such as `tictactoe` for `@envs/tiny-tictactoe`. The prefix is optional.
 */
export async function findCheckpoint(
  reference: string,
  from: string = process.cwd(),
): Promise<{ readonly path: string; readonly checkpoint: Checkpoint }> {
  const name = reference.startsWith(prefix) ? reference.slice(prefix.length) : reference;
  const path = (await checkpointFile(resolve(from, name))) ?? packageFile(name, from);
  if (path === undefined)
    throw new ConfigError(
      `No tiny model named ${JSON.stringify(name)} was found. Pass a checkpoint (tiny:model.safetensors), the folder of a training run, or install the model's package from a hub (envs install @envs/tiny-${name.split("/").at(-1)}).`,
    );
  return { path, checkpoint: readCheckpoint(await readFile(path), path) };
}

/** The part of a training run's `state.json` that names the latest checkpoint, relative to the run's folder. */
const stateSchema = z.object({ checkpoint: z.string() });

async function checkpointFile(path: string): Promise<string | undefined> {
  if (path.endsWith(".safetensors") && existsSync(path)) return path;
  const file = join(path, "state.json");
  if (!existsSync(file)) return undefined;
  const { success, data, error } = stateSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (!success) throw new ConfigError(`${file} is corrupt:\n${z.prettifyError(error)}`);
  return join(path, data.checkpoint);
}

/** Resolves from the user's project first, then from this package. */
function packageFile(name: string, from: string): string | undefined {
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/u.test(name)) return undefined;
  const names = name.startsWith("@") ? [name] : [`@envs/tiny-${name}`, name];
  for (const base of [join(from, "noop.js"), import.meta.filename])
    for (const candidate of names) {
      try {
        return createRequire(base).resolve(`${candidate}/model.safetensors`);
      } catch {
        // Try the next name.
      }
    }
  return undefined;
}
