import {
  assistant,
  type EarlierAttempt,
  type Example,
  type Failure,
  type Message,
  type Rollout,
  type RolloutErrorCode,
} from "@envs/core";
import {
  asMessages,
  contentHash,
  isFiltered,
  mapValues,
  omitUndefined,
  rolloutErrorCodes,
} from "@envs/core/engine";
import * as z from "zod";

import { branchOf, subModelUsageOf } from "./branch-rows.ts";
import { judgeUsageOf } from "./judge-usage.ts";
import { milliseconds } from "./model-call.ts";
import { example as exampleSchema, row as schema, type Row } from "./row.ts";
import { seatOf } from "./seat-rows.ts";
import { turnsOf } from "./turn-rows.ts";
import { usageOf } from "./usage-row.ts";

/** The reason why a line is not a rollout. */
export interface UnreadableRow {
  readonly problem: string;
}

/** Parses one line of the `results.jsonl` of this package or of verifiers. */
export function parseRow(line: string): Rollout | UnreadableRow {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { problem: "not JSON: the line is incomplete or was edited" };
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) };
  return fromRow(parsed.data);
}

/** Whether a line was read as a rollout. */
export function isReadable(row: Rollout | UnreadableRow): row is Rollout {
  return "status" in row;
}

/** The hash of an example's content: the same for an example of a dataset and for the one that a record stored of it. */
export function exampleHash(example: Example): string {
  return contentHash(exampleSchema.parse(JSON.parse(JSON.stringify(example))));
}

function fromRow(row: Row): Rollout {
  const prompt = asMessages(row.prompt);
  const completion: readonly Message[] =
    typeof row.completion === "string" ? [assistant(row.completion)] : (row.completion ?? []);
  const example: Example =
    row.example ?? omitUndefined({ prompt, answer: row.answer, info: row.info });
  const turns = turnsOf(row, prompt, completion);
  const base = {
    environment: row.environment ?? "",
    ...omitUndefined({ part: row.part ?? undefined }),
    example,
    exampleIndex: row.example_id,
    exampleKey: row.example_key ?? contentHash(example),
    rolloutIndex: row.rollout_index ?? 0,
    prompt,
    completion,
    ...turns,
    ...omitUndefined({ seat: row.seat ?? undefined }),
    ...(row.other_seats ? { otherSeats: mapValues(row.other_seats, seatOf) } : {}),
    ...(row.branches ? { branches: row.branches.map(branchOf) } : {}),
    isTruncated: row.is_truncated ?? false,
    isFiltered: row.is_filtered ?? isFiltered(turns.trajectory),
    usage: usageOf(row.token_usage),
    timing: {
      setup: milliseconds(row.timing?.setup),
      generation: milliseconds(row.timing?.generation),
      scoring: milliseconds(row.timing?.scoring),
    },
    ...(row.judge_usage ? { judgeUsage: judgeUsageOf(row.judge_usage) } : {}),
    ...(row.earlier_attempts ? { earlierAttempts: row.earlier_attempts.map(attemptOf) } : {}),
    ...omitUndefined({
      tools: row.tools ?? undefined,
      toolErrors: row.tool_errors ?? undefined,
      toolSpecs: row.tool_defs ?? undefined,
    }),
  };
  if (row.error || typeof row.reward !== "number")
    return { status: "failed", ...base, error: failureOf(row.error) };
  return {
    status: "scored",
    ...base,
    stopReason: row.stop_condition ?? "end",
    reward: row.reward,
    scores: row.metrics ?? {},
    ...(row.feedback ? { feedback: row.feedback } : {}),
  };
}

function attemptOf(attempt: NonNullable<Row["earlier_attempts"]>[number]): EarlierAttempt {
  const judgeUsage = attempt.judge_usage && judgeUsageOf(attempt.judge_usage);
  const subModelUsage = attempt.sub_model_usage && subModelUsageOf(attempt.sub_model_usage);
  return {
    error: failureOf(attempt.error),
    usage: usageOf(attempt.token_usage),
    ...omitUndefined({
      judgeUsage: judgeUsage ?? undefined,
      subModelUsage: subModelUsage ?? undefined,
    }),
  };
}

function failureOf(error: Row["error"]): Failure {
  if (typeof error === "string") return failureOf({ message: error });
  const message =
    error?.message ?? error?.error ?? "The rollout has neither a reward nor an error.";
  const known = rolloutErrorCodes.find((code) => code === error?.code);
  return {
    code: known ?? codeOfVerifiers(error?.error ?? ""),
    message,
    chain: error?.chain ?? [message],
    isFatal: error?.is_fatal ?? false,
  };
}

/** Maps the name of an error class of verifiers to a code. */
function codeOfVerifiers(name: string): RolloutErrorCode {
  if (/Model|Overlong|Response/.test(name)) return "model";
  return name.startsWith("Tool") ? "tool" : "environment";
}
