import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { FailureError } from "@envs/cli/kit";
import { runLimits, type RunPart } from "@envs/hub-client";
import { mediaFilesIn } from "@envs/viewer";

import type { LocalRun, RunParts } from "./run-parts.ts";

/** Adds the images, audio and files to which the lines of a run refer, each once. Throws a `FailureError` if one is missing. */
export async function withMedia(
  { parts, contentOf }: RunParts,
  folder: string,
): Promise<{ readonly parts: readonly RunPart[]; readonly contentOf: LocalRun["contentOf"] }> {
  const files = [...new Set(parts.flatMap((_, part) => [...mediaFilesIn(contentOf(part))]))].sort();
  const media = await Promise.all(files.map((file) => partOf(join(folder, "media", file), file)));
  if (parts.length + media.length > runLimits.parts)
    throw new FailureError(
      `The run has ${media.length} images, audio and other files. A hub accepts at most ${runLimits.parts - parts.length} for it. Evaluate fewer examples.`,
    );
  return {
    parts: [...parts, ...media],
    contentOf(part) {
      const file = files[part - parts.length];
      return file === undefined ? contentOf(part) : readFile(join(folder, "media", file));
    },
  };
}

async function partOf(path: string, file: string): Promise<RunPart> {
  const size = (await stat(path).catch(() => undefined))?.size;
  if (size === undefined)
    throw new FailureError(
      `${path} is missing, but rollouts of the run refer to it. Restore the file, or evaluate again.`,
    );
  if (size > runLimits.partBytes)
    throw new FailureError(
      `${path} has ${size} bytes. A hub accepts at most ${runLimits.partBytes} for each file of a run.`,
    );
  const sha256 = file.slice(0, 64);
  return { kind: "media", file, sha256, bytes: size, lines: 1, phase: "", step: 0 };
}
