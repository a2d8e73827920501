import { ConfigError } from "@envs/core";
import * as z from "zod";

import { readInputFile, writeFileAtomically } from "#files";

const checkpointNote = z.object({
  kind: z.literal("tinker-checkpoint"),
  /** The weights' path on the service: `tinker://<model>/weights/<name>`. */
  path: z.string().startsWith("tinker://"),
  baseModel: z.string(),
});

/** The content of a local checkpoint file. The weights themselves stay on the service. */
type CheckpointNote = z.output<typeof checkpointNote>;

/** Converts the path of a file to a checkpoint name that services accept. */
export function checkpointName(path: string, number: number): string {
  const name = path
    .replace(/.*[/\\]/u, "")
    .replace(/\.[^.]*$/u, "")
    .replaceAll(/[^a-zA-Z0-9_-]+/gu, "-");
  return `${name || "checkpoint"}-${number}`.slice(-200);
}

/** Writes the location of a checkpoint to the file `path`. */
export async function writeCheckpointNote(
  path: string,
  note: Omit<CheckpointNote, "kind">,
): Promise<void> {
  const text = `${JSON.stringify({ kind: "tinker-checkpoint", ...note }, undefined, 2)}\n`;
  await writeFileAtomically(path, new TextEncoder().encode(text));
}

/** Returns the service's path of a checkpoint. `path` is a file of {@link writeCheckpointNote}, or already a service's path. */
export async function findServicePath(path: string, baseModel: string): Promise<string> {
  if (path.startsWith("tinker://")) return path;
  const text = new TextDecoder().decode(await readInputFile(path));
  const note = checkpointNote.safeParse(parseJson(text));
  if (!note.success)
    throw new ConfigError(
      `${path} is not a checkpoint of a Tinker-compatible service. Pass a file that saveState() of this backend wrote, or a path that begins with tinker://.`,
    );
  if (note.data.baseModel !== baseModel)
    throw new ConfigError(
      `${path} is a checkpoint of ${note.data.baseModel}, but this backend trains ${baseModel}. Set baseModel to ${note.data.baseModel}.`,
    );
  return note.data.path;
}

/** `undefined` if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
