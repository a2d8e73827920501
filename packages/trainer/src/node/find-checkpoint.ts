import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

import { ConfigError } from "@envs/core";

import { type Checkpoint, readCheckpoint } from "../tiny/checkpoint.ts";
import { readState } from "./training-folder.ts";

const prefix = "tiny:";

/**
 * Loads the tiny model that a reference names: `tiny:` and a checkpoint file, the folder of a training run, or the name
 * of a package such as `tictactoe` for `@envs/tiny-tictactoe`.
 */
export async function findCheckpoint(
  reference: string,
  from: string = process.cwd(),
): Promise<{ readonly path: string; readonly checkpoint: Checkpoint }> {
  const name = reference.startsWith(prefix) ? reference.slice(prefix.length) : reference;
  const path = (await fileOf(resolve(from, name))) ?? packageFile(name, from);
  if (path === undefined)
    throw new ConfigError(
      `There is no tiny model ${JSON.stringify(name)}. Name a checkpoint (tiny:model.safetensors), the folder of a training run, or install its package (pnpm add @envs/tiny-${name.split("/").at(-1)}).`,
    );
  return { path, checkpoint: readCheckpoint(await readFile(path), path) };
}

async function fileOf(path: string): Promise<string | undefined> {
  if (path.endsWith(".safetensors") && existsSync(path)) return path;
  const state = await readState(path);
  return state === undefined ? undefined : join(path, state.checkpoint);
}

/** A model of the person's own project comes before the one beside this package. */
function packageFile(name: string, from: string): string | undefined {
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/u.test(name)) return undefined;
  const names = name.startsWith("@") ? [name] : [`@envs/tiny-${name}`, name];
  for (const base of [join(from, "noop.js"), import.meta.filename])
    for (const candidate of names) {
      try {
        return createRequire(base).resolve(`${candidate}/model.safetensors`);
      } catch {
        // The next name may be the one.
      }
    }
  return undefined;
}
