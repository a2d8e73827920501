import type { EarlierAttempt, Example, Rollout } from "@envs/core";
import { asMessages, contentHash, mapValues, omitUndefined } from "@envs/core/engine";

import { branchOf, subModelUsageOf } from "./branch-rows.ts";
import { type Fields, fieldsOf, isFields, listOf, numberOf, shownText, textOf } from "./json.ts";
import { judgeUsageOf } from "./judge-usage.ts";
import { milliseconds } from "./model-call.ts";
import { failureOf } from "./read-failure.ts";
import { readMessage, readMessages } from "./read-message.ts";
import type { Phase, ReadRollout, RecordedScore, RecordedTurn } from "./read-rollout.ts";
import { seatOf } from "./seat-rows.ts";
import { feedbackOf, readFiltered, scoresOf, toolFieldsOf } from "./side-fields.ts";
import { tokensOf } from "./tokens.ts";
import { stepOf, turnsOf } from "./turn-rows.ts";
import { costOf, usageOf } from "./usage-row.ts";

/** Reads a row of `results.jsonl`, of this project in any version or of verifiers up to 0.3. Treats a damaged field as absent. */
export function readRow(row: Fields): ReadRollout {
  const id = row["example_id"];
  const example = exampleOf(row);
  const usage = row["token_usage"];
  return {
    rollout: rolloutOf(row, example),
    example: typeof id === "number" || typeof id === "string" ? String(id) : "?",
    isNumbered: indexOf(row["rollout_index"]) !== undefined,
    isUnscored: false,
    scores: recordedScores(row),
    phases: phasesOf(row["timing"]),
    expected: expectedOf(
      row["answer"] ?? fieldsOf(example)["answer"] ?? fieldsOf(row["info"])["answer"],
    ),
    cost: costOf(usage),
    advantage: numberOf(row["advantage"]),
    turns: () => listOf(row["trajectory"]).map(fieldsOf).map(stepOf).map(recordedTurn),
  };
}

/** Reads an example that a record has stored; `undefined` if it has no prompt. */
export function storedExample(value: unknown): Example | undefined {
  const { prompt, ...fields } = fieldsOf(value);
  if (typeof prompt === "string") return { prompt, ...fields };
  if (!Array.isArray(prompt)) return undefined;
  return { prompt: prompt.map((message) => readMessage(message, "user")), ...fields };
}

function exampleOf(row: Fields): Example {
  const { answer, info } = row;
  return storedExample(row["example"]) ?? omitUndefined({ prompt: promptOf(row), answer, info });
}

function promptOf({ prompt }: Fields): Rollout["prompt"] {
  return typeof prompt === "string" ? asMessages(prompt) : readMessages(prompt, "user");
}

function rolloutOf(row: Fields, example: Example): Rollout {
  const prompt = promptOf(row);
  const completion = readMessages(row["completion"], "assistant");
  const turns = turnsOf(row, prompt, completion);
  const timing = fieldsOf(row["timing"]);
  const {
    error,
    other_seats: seats,
    branches,
    judge_usage: judges,
    earlier_attempts: attempts,
  } = row;
  const base = {
    environment: textOf(row["environment"]) ?? "",
    ...omitUndefined({ part: textOf(row["part"]) }),
    example,
    exampleIndex: indexOf(row["example_id"]) ?? 0,
    exampleKey: textOf(row["example_key"]) ?? contentHash(example),
    rolloutIndex: indexOf(row["rollout_index"]) ?? 0,
    prompt,
    completion,
    ...turns,
    ...omitUndefined({ seat: textOf(row["seat"]) }),
    ...(isFields(seats) && { otherSeats: mapValues(seats, seatOf) }),
    ...(Array.isArray(branches) && { branches: branches.map(branchOf) }),
    ...omitUndefined({ subModelRefusals: indexOf(row["sub_model_refusals"]) }),
    isTruncated: row["is_truncated"] === true,
    isFiltered: readFiltered(row, turns.trajectory),
    usage: usageOf(row["token_usage"]),
    timing: {
      setup: milliseconds(timing["setup"]),
      generation: milliseconds(timing["generation"] ?? timing["agent"]),
      scoring: milliseconds(timing["scoring"]),
    },
    ...(isFields(judges) && { judgeUsage: judgeUsageOf(judges) }),
    ...(Array.isArray(attempts) && { earlierAttempts: attempts.map(attemptOf) }),
    ...omitUndefined(toolFieldsOf(row)),
  };
  const reward = numberOf(row["reward"]);
  if (Boolean(error) || reward === undefined)
    return { status: "failed", ...base, error: failureOf(error) };
  return {
    status: "scored",
    ...base,
    stopReason: textOf(row["stop_condition"]) ?? "end",
    reward,
    scores: scoresOf(row["metrics"]),
    ...omitUndefined({ feedback: feedbackOf(row["feedback"]) }),
  };
}

function indexOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function attemptOf(value: unknown): EarlierAttempt {
  const {
    error,
    token_usage: usage,
    judge_usage: judges,
    sub_model_usage: subModels,
  } = fieldsOf(value);
  return {
    error: failureOf(error),
    usage: usageOf(usage),
    ...(isFields(judges) && { judgeUsage: judgeUsageOf(judges) }),
    ...(isFields(subModels) && { subModelUsage: subModelUsageOf(subModels) }),
  };
}

export function expectedOf(answer: unknown): string | undefined {
  const text = Array.isArray(answer) ? answer.map(shownText).join(" or ") : shownText(answer);
  return text === "" ? undefined : text;
}

function recordedScores(row: Fields): readonly RecordedScore[] {
  const feedback = fieldsOf(row["feedback"]);
  const weights = fieldsOf(row["weights"]);
  const judge = judgeText(row["judge_response"]);
  const entries = Object.entries(scoresOf(row["metrics"]));
  const judged = entries.findIndex(([name]) => /judge/iu.test(name));
  return entries.map(([name, value], index) => ({
    name,
    value,
    label: undefined,
    weight: numberOf(weights[name]),
    answer: undefined,
    explanation:
      textOf(feedback[name]) ??
      (judge !== undefined && index === Math.max(0, judged) ? judge : undefined),
  }));
}

/** The judge of verifiers stores its replies by prompt. */
function judgeText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const replies = Object.values(fieldsOf(value)).map(shownText);
  return replies.length === 0 ? undefined : replies.join("\n\n");
}

function recordedTurn(turn: Fields): RecordedTurn {
  return {
    finish: textOf(turn["finish_reason"]),
    cost: costOf(turn["usage"]),
    reward: numberOf(turn["reward"]),
    advantage: numberOf(turn["advantage"]),
    tokens: tokensOf(fieldsOf(turn["tokens"])),
  };
}

const phases = ["boot", "setup", "generation", "agent", "finalize", "scoring"] as const;

function phasesOf(value: unknown): readonly Phase[] {
  const timing = fieldsOf(value);
  return phases.flatMap((name) => {
    const { start, end } = milliseconds(timing[name]);
    const seconds = numberOf(timing[name]) ?? (end - start) / 1000;
    return seconds > 0 ? [{ name, seconds }] : [];
  });
}
