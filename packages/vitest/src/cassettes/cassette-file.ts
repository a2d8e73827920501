import { dirname } from "node:path";

import { ConfigError } from "@envs/core";
import { parseJson } from "@envs/core/engine";
import { createFolder, lines, replaceFile } from "@envs/records/node";
import * as z from "zod";

import { cassette, type Cassette, type CassetteOptions } from "./cassette.ts";
import { compact, type CompactRecording, expand } from "./compact.ts";
import type { Recording } from "./recording.ts";

const message = z.looseObject({ role: z.enum(["system", "user", "assistant", "tool"]) });
const recordingSchema = z.custom<CompactRecording>(
  (value) =>
    z
      .object({
        model: z.string(),
        settings: z.record(z.string(), z.unknown()).optional(),
        code: z.string().optional(),
        example: z.string().optional(),
        trial: z.int().min(0),
        seed: z.int().optional(),
        request: z.looseObject({
          previous: z.int().min(0).optional(),
          messages: z.array(message),
        }),
        response: z.looseObject({
          message: z.looseObject({ role: z.literal("assistant"), content: z.string() }),
          finish: z.string(),
        }),
      })
      .safeParse(value).success,
);

/** A cassette in a JSONL file, which is meant to be committed. */
export interface CassetteFile extends Cassette {
  readonly path: string;
  /** Writes the file if a call was recorded. */
  save(): Promise<void>;
}

export interface OpenCassetteOptions extends Omit<CassetteOptions, "recordings" | "source"> {
  /** How to record, such as a command, for errors about requests without a recording. */
  readonly remedy?: string | undefined;
}

/** Opens the cassette at `path`. Without a file, it is empty. Throws a `ConfigError` for a line that is not a recording. */
export async function openCassette(
  path: string,
  { remedy, ...options }: OpenCassetteOptions,
): Promise<CassetteFile> {
  const recordings = await readRecordings(path);
  const source = remedy === undefined ? path : `${path} (to record: ${remedy})`;
  const opened = cassette({ ...options, recordings, source });
  const save = async (): Promise<void> => {
    if (opened.counts().recorded > 0) await write(path, opened.recordings());
  };
  return { ...opened, path, save };
}

async function readRecordings(path: string): Promise<readonly Recording[]> {
  const recordings: Recording[] = [];
  try {
    for await (const { text, number } of lines(path)) {
      const { data } = recordingSchema.safeParse(parseJson(text));
      const recording = data && expand(data, recordings.at(-1));
      if (recording === undefined)
        throw new ConfigError(
          `Line ${number} of ${path} is not a recording, or does not fit the line before it. Delete the file and record again, or restore it.`,
        );
      recordings.push(recording);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  return recordings;
}

/** Replaces the file at once, so that a process that is killed leaves the old one. */
async function write(path: string, recordings: readonly Recording[]): Promise<void> {
  const text = recordings
    .map((recording, index) => `${JSON.stringify(compact(recording, recordings[index - 1]))}\n`)
    .join("");
  await createFolder(dirname(path));
  await replaceFile(path, text);
}
