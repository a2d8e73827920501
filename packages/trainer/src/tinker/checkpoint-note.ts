import { ConfigError } from "@envs/core";
import * as z from "zod";

import { readInputFile, writeFileAtomically } from "#files";

const checkpointNote = z.object({
  kind: z.literal("tinker-checkpoint"),
  /** Where the service keeps the weights: `tinker://<model>/weights/<name>`. */
  path: z.string().startsWith("tinker://"),
  baseModel: z.string(),
});

/** What is written in a checkpoint's place: the weights themselves stay with the service. */
type CheckpointNote = z.output<typeof checkpointNote>;

/** A name that services take, from the path of a file. */
export function checkpointName(path: string, number: number): string {
  const name = path
    .replace(/.*[/\\]/u, "")
    .replace(/\.[^.]*$/u, "")
    .replaceAll(/[^a-zA-Z0-9_-]+/gu, "-");
  return `${name || "checkpoint"}-${number}`.slice(-200);
}

/** Notes at `path` where a checkpoint is. */
export async function writeCheckpointNote(
  path: string,
  note: Omit<CheckpointNote, "kind">,
): Promise<void> {
  const text = `${JSON.stringify({ kind: "tinker-checkpoint", ...note }, undefined, 2)}\n`;
  await writeFileAtomically(path, new TextEncoder().encode(text));
}

/** Where the checkpoint is that was noted at `path`; a path of the service is one already. */
export async function findServicePath(path: string, baseModel: string): Promise<string> {
  if (path.startsWith("tinker://")) return path;
  const text = new TextDecoder().decode(await readInputFile(path));
  const note = checkpointNote.safeParse(parsed(text));
  if (!note.success)
    throw new ConfigError(
      `${path} is not a checkpoint of a Tinker-compatible service. Give a file that saveState() of this backend wrote, or a path that begins with tinker://.`,
    );
  if (note.data.baseModel !== baseModel)
    throw new ConfigError(
      `${path} is a checkpoint of ${note.data.baseModel}, but this backend trains ${baseModel}. Set baseModel to ${note.data.baseModel}.`,
    );
  return note.data.path;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
