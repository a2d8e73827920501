import type { Example, Rollout } from "@envs/core";
import { contentHash } from "@envs/core/engine";

import { isFields, numberOf, parseJson } from "./json.ts";
import { readEpisode } from "./read-episode.ts";
import type { ReadRollout, UnreadableRow } from "./read-rollout.ts";
import { readRow, storedExample } from "./read-row.ts";
import { readSample } from "./read-sample.ts";
import { isTrajectory, readTrajectory } from "./read-trajectory.ts";

/**
 * Reads the record of a rollout from JSON text: a row of this project or of verifiers 0.3, an episode of verifiers 0.4 with a
 * rollout for each agent, a sample of Inspect, or a trajectory in ATIF. The words NaN and Infinity, which Python writes, are numbers that are not known.
 */
export function readRecord(text: string): readonly ReadRollout[] | UnreadableRow {
  let record: unknown;
  try {
    record = parseJson(text);
  } catch {
    return notJson(text);
  }
  return readParsedRecord(record);
}

/** Reads the record of a rollout from parsed JSON. */
export function readParsedRecord(record: unknown): readonly ReadRollout[] | UnreadableRow {
  if (!isFields(record)) return { problem: "The record is JSON, but not an object." };
  if (Array.isArray(record["traces"])) return readEpisode(record);
  if ("epoch" in record && ("messages" in record || "input" in record)) return [readSample(record)];
  if (isTrajectory(record)) return [readTrajectory(record)];
  if ("prompt" in record || "completion" in record || "example_id" in record)
    return [readRow(record)];
  return {
    problem:
      "The record is not a rollout: it has no prompt, no completion, no traces and no messages.",
  };
}

/** The lines of rollouts that {@link parseRow} has read, so that they are not written anew. */
const parsedLines = new WeakMap<Rollout, string>();

/** The line that `parseRow` read a rollout from; `undefined` for another rollout. */
export function lineOf(rollout: Rollout): string | undefined {
  return parsedLines.get(rollout);
}

/** Parses a row that {@link toRow} wrote and another process sent. Unlike `readRecord`, it accepts no other form. */
export function parseRow(line: string): Rollout | UnreadableRow {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return notJson(line);
  }
  if (!isFields(row)) return { problem: "The record is JSON, but not an object." };
  const { example_id: id, prompt, completion, reward } = row;
  if (!Number.isSafeInteger(id)) return problemOf("example_id", id, "a whole number");
  if (!isConversation(prompt)) return problemOf("prompt", prompt, "text or messages");
  if (!isAbsent(completion) && !isConversation(completion))
    return problemOf("completion", completion, "text or messages");
  if (!isAbsent(reward) && numberOf(reward) === undefined)
    return problemOf("reward", reward, "a number or null");
  const { rollout } = readRow(row);
  if (!line.includes("\n")) parsedLines.set(rollout, line);
  return rollout;
}

/** Whether a record was read as rollouts. */
export function isReadable<Read extends object>(read: Read | UnreadableRow): read is Read {
  return !("problem" in read);
}

/** The hash of an example's content: the same for an example of a dataset and for the one that a record stored of it. */
export function exampleHash(example: Example): string {
  const stored: unknown = JSON.parse(JSON.stringify(example));
  return contentHash(storedExample(stored) ?? stored);
}

function notJson(text: string): UnreadableRow {
  return {
    problem:
      text.trimEnd().at(-1) === "}"
        ? "The record is not JSON: it was edited or damaged."
        : "The record is cut: the program that wrote it ended in the middle of the line.",
  };
}

function problemOf(field: string, value: unknown, expected: string): UnreadableRow {
  const shown = JSON.stringify(value)?.slice(0, 100) ?? "absent";
  return { problem: `${field} is ${shown}. It must be ${expected}.` };
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

function isConversation(value: unknown): boolean {
  return (
    typeof value === "string" ||
    (Array.isArray(value) &&
      value.every(
        (item) => isFields(item) && "role" in item && ("content" in item || "tool_calls" in item),
      ))
  );
}
