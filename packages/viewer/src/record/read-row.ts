import { type Fields, fieldsOf, isFields, listOf, numberOf, shownText, textOf } from "./json.ts";
import { readBranches } from "./read-branches.ts";
import { numberTurns, readMessages } from "./read-messages.ts";
import { readSeats } from "./read-seats.ts";
import { readUsage, spanOf } from "./read-usage.ts";
import type {
  ViewedError,
  ViewedJudge,
  ViewedPhase,
  ViewedRollout,
  ViewedScore,
  ViewedTool,
  ViewedTurn,
} from "./rollout.ts";
import { readTokens } from "./tokens.ts";

/** Reads a row of `results.jsonl`, of this project or of verifiers 0.3. */
export function readRow(row: Fields): ViewedRollout {
  const prompt = readMessages(row["prompt"], "user");
  const completion = readMessages(row["completion"], "assistant");
  const messages = numberTurns([...prompt, ...completion], prompt.length);
  const error = readError(row["error"]);
  const reward = numberOf(row["reward"]);
  const isScored = error === undefined && reward !== undefined;
  const id = row["example_id"];
  const example = typeof id === "number" || typeof id === "string" ? String(id) : "?";
  const info = fieldsOf(row["info"]);
  return {
    example,
    key: textOf(row["example_key"]) ?? example,
    rollout: numberOf(row["rollout_index"]),
    part: textOf(row["part"]),
    status: isScored ? "scored" : "failed",
    reward: isScored ? reward : null,
    scores: readScores(row),
    messages,
    promptLength: prompt.length,
    turns: readTurns(row, messages.filter(({ turn }) => turn !== undefined).length),
    stopReason: isScored ? (textOf(row["stop_condition"]) ?? "end") : undefined,
    isTruncated: row["is_truncated"] === true,
    isFiltered: row["is_filtered"] === true,
    error: isScored ? undefined : (error ?? missingReward),
    toolErrors: listOf(row["tool_errors"]).map(shownText),
    tools: readTools(row["tools"]),
    judges: readJudges(row["judge_usage"]),
    ...readBranches(row),
    ...readSeats(row),
    earlierErrors: listOf(row["earlier_attempts"]).flatMap(
      (attempt) => readError(fieldsOf(attempt)["error"]) ?? [],
    ),
    expected: expectedOf(row["answer"] ?? fieldsOf(row["example"])["answer"] ?? info["answer"]),
    usage: readUsage(row["token_usage"]),
    phases: readPhases(row["timing"]),
    advantage: numberOf(row["advantage"]),
  };
}

const missingReward: ViewedError = {
  code: "no reward",
  message: "The rollout has neither a reward nor an error.",
  details: [],
};

function expectedOf(answer: unknown): string | undefined {
  const text = shownText(answer);
  return text === "" ? undefined : text;
}

function readTools(tools: unknown): readonly ViewedTool[] {
  return Object.entries(fieldsOf(tools)).map(([name, value]) => {
    const { calls, errors, seconds } = fieldsOf(value);
    return {
      name,
      calls: numberOf(calls) ?? 0,
      errors: numberOf(errors) ?? 0,
      seconds: numberOf(seconds) ?? 0,
    };
  });
}

function readJudges(judges: unknown): readonly ViewedJudge[] {
  return Object.entries(fieldsOf(judges)).map(([name, value]) => {
    const { calls, cached, cost, ...usage } = fieldsOf(value);
    const { inputTokens = 0, outputTokens = 0 } = readUsage(usage) ?? {};
    return {
      name,
      calls: numberOf(calls) ?? 0,
      cached: numberOf(cached) ?? 0,
      usage: { inputTokens, outputTokens, cost: numberOf(cost) },
    };
  });
}

function readScores(row: Fields): readonly ViewedScore[] {
  const feedback = fieldsOf(row["feedback"]);
  const judge = judgeText(row["judge_response"]);
  const entries = Object.entries(fieldsOf(row["metrics"]));
  const judged = entries.findIndex(([name]) => /judge/iu.test(name));
  return entries.map(([name, value], index) => ({
    name,
    value: numberOf(value) ?? null,
    label: undefined,
    weight: undefined,
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

export function readError(error: unknown): ViewedError | undefined {
  if (error === undefined || error === null) return undefined;
  if (!isFields(error)) return { code: "error", message: shownText(error), details: [] };
  const chain = listOf(error["chain"]).map(shownText);
  const trace = textOf(error["traceback"]) ?? textOf(error["error_chain_str"]);
  return {
    code: textOf(error["code"]) ?? textOf(error["error"]) ?? textOf(error["type"]) ?? "error",
    message: textOf(error["message"]) ?? textOf(error["error"]) ?? "",
    details: chain.length > 0 ? chain : trace === undefined ? [] : [trace],
  };
}

/** Reads the turns. A record without a trajectory has one turn per reply, of which nothing else is known. */
function readTurns(row: Fields, replies: number): readonly ViewedTurn[] {
  const trajectory = listOf(row["trajectory"]).map(fieldsOf);
  return Array.from({ length: replies }, (_, index) => {
    const turn = trajectory[index] ?? {};
    const response = fieldsOf(turn["response"]);
    return {
      finish: textOf(turn["finish_reason"]) ?? textOf(response["finish_reason"]),
      usage: readUsage(turn["usage"] ?? response["usage"]),
      modelSeconds: spanOf(turn["model"]),
      environmentSeconds: spanOf(turn["env"]),
      tokens: readTokens(fieldsOf(turn["tokens"])),
      reward: numberOf(turn["reward"]),
      advantage: numberOf(turn["advantage"]),
    };
  });
}

const phases = ["boot", "setup", "generation", "agent", "finalize", "scoring"] as const;

export function readPhases(value: unknown): readonly ViewedPhase[] {
  const timing = fieldsOf(value);
  return phases.flatMap((name) => {
    const seconds = spanOf(timing[name]);
    return seconds === undefined || seconds === 0 ? [] : [{ name, seconds }];
  });
}
