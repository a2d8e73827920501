import { appendFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

import type { ModelResponse } from "@envs/core";
import { type JudgeStore, parseJson } from "@envs/core/engine";
import * as z from "zod";

import { lines } from "./json-lines.ts";
import { WriteError } from "./write-error.ts";

const storedAnswer = z.object({
  key: z.string(),
  response: z.custom<ModelResponse>(
    (value) => z.object({ message: z.object({ content: z.string() }) }).safeParse(value).success,
  ),
});

/**
 * Keeps the answers of judges in a JSONL file, which several processes may share. Its keys are hashes of the judge's name and of
 * the question. A line that is damaged is asked again.
 */
export async function judgeFile(path: string): Promise<JudgeStore> {
  const answers = new Map<string, ModelResponse>();
  await createFolder(path);
  for await (const { text } of linesIfAny(path)) {
    const { data } = storedAnswer.safeParse(parseJson(text));
    if (data !== undefined) answers.set(data.key, data.response);
  }
  return {
    get: (key) => answers.get(key),
    set(key, response) {
      answers.set(key, response);
      try {
        // In one write, so that the lines of two processes do not mix.
        appendFileSync(path, `${JSON.stringify({ key, response })}\n`);
      } catch (error) {
        throw new WriteError(`write ${path}`, error);
      }
    },
  };
}

async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw new WriteError(`create ${dirname(path)}`, error);
  }
}

async function* linesIfAny(path: string): AsyncGenerator<{ readonly text: string }> {
  try {
    yield* lines(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
