import { type Fields, fieldsOf, isFields, listOf, numberOf, shownText, textOf } from "./json.ts";
import { readMessages } from "./read-message.ts";
import type { Phase, ReadRollout, RecordedScore } from "./read-rollout.ts";
import { expectedOf, readRow } from "./read-row.ts";
import { choiceTokensOf } from "./tokens.ts";
import { costOf, usageOf, usageRow } from "./usage-row.ts";

/** Reads a sample of an Inspect log, or its summary, which has no messages. Inspect has no reward: the first score stands for it. */
export function readSample(stored: Fields): ReadRollout {
  const sample = resolveAttachments(stored);
  const all = readMessages(sample["messages"], "assistant");
  const messages = all.length === 0 ? readMessages(sample["input"], "user") : all;
  const firstReply = messages.findIndex(({ role }) => role === "assistant");
  const completion = firstReply === -1 ? [] : messages.slice(firstReply);
  const replies = completion.filter(({ role }) => role === "assistant").length;
  const outputs = outputsOf(sample, replies);
  const scores = scoresOf(sample["scores"]);
  const reward = scores.find(({ value }) => value !== null)?.value ?? null;
  const error = failureOf(sample["error"]);
  const limit = textOf(fieldsOf(sample["limit"])["type"]) ?? textOf(sample["limit"]);
  const finish = outputs.at(-1)?.finish;
  const id = shownText(sample["id"]);
  const usages = Object.values(fieldsOf(sample["model_usage"]));
  const read = readRow({
    example_id: sample["id"],
    example_key: id,
    rollout_index: (numberOf(sample["epoch"]) ?? 1) - 1,
    prompt: messages.slice(0, messages.length - completion.length),
    completion,
    answer: expectedOf(sample["target"]),
    reward,
    metrics: Object.fromEntries(scores.map(({ name, value }) => [name, value])),
    error,
    stop_condition: limit ?? finish ?? "end",
    is_truncated: limit !== undefined || finish === "max_tokens" || finish === "model_length",
    trajectory: outputs.map((output) => ({
      finish_reason: finishReasons.get(output.finish) ?? output.finish,
      usage: output.usage,
      model: { start: 0, end: output.seconds ?? 0 },
    })),
    token_usage: sumOf(usages),
  });
  return {
    ...read,
    example: id,
    isUnscored: error === undefined && reward === null,
    scores,
    phases: phasesOf(sample),
    turns: () =>
      read.turns().map((turn, index) => {
        const { finish, logprobs } = outputs[index]!;
        return Object.assign(turn, { finish, tokens: choiceTokensOf(logprobs) });
      }),
  };
}

/** Our names for Inspect's stop reasons. */
const finishReasons: ReadonlyMap<unknown, string> = new Map([
  ["max_tokens", "length"],
  ["model_length", "length"],
]);

/** Long texts and pictures are stored once, and referred to as `attachment://<hash>`. */
function resolveAttachments(sample: Fields): Fields {
  const attachments = fieldsOf(sample["attachments"]);
  if (Object.keys(attachments).length === 0) return sample;
  const resolve = (value: unknown, depth: number): unknown => {
    if (typeof value === "string" && value.startsWith("attachment://"))
      return textOf(attachments[value.slice("attachment://".length)]) ?? value;
    if (depth === 0) return value;
    if (Array.isArray(value)) return value.map((item) => resolve(item, depth - 1));
    if (!isFields(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, resolve(item, depth - 1)]),
    );
  };
  const { messages, input, scores } = sample;
  return {
    ...sample,
    messages: resolve(messages, 8),
    input: resolve(input, 8),
    scores: resolve(scores, 8),
  };
}

/** Letters of Inspect's scorers: correct, incorrect, partially correct, no answer. */
const letters: ReadonlyMap<string, number> = new Map([
  ["C", 1],
  ["I", 0],
  ["P", 0.5],
  ["N", 0],
]);

function scoresOf(value: unknown): readonly RecordedScore[] {
  return Object.entries(fieldsOf(value)).flatMap(([scorer, stored]) => {
    const score = fieldsOf(stored);
    const { answer, explanation } = score;
    const scoreOf = (name: string, value: unknown, isFirst: boolean): RecordedScore => ({
      name,
      ...valueOf(value),
      weight: undefined,
      answer: textOf(answer),
      explanation: isFirst ? textOf(explanation) : undefined,
    });
    if (!isFields(score["value"])) return [scoreOf(scorer, score["value"], true)];
    return Object.entries(score["value"]).map(([name, part], index) =>
      scoreOf(`${scorer}/${name}`, part, index === 0),
    );
  });
}

function valueOf(value: unknown): Pick<RecordedScore, "value" | "label"> {
  if (typeof value === "boolean") return { value: Number(value), label: undefined };
  if (typeof value === "string") return { value: letters.get(value) ?? null, label: value };
  const number = numberOf(value);
  return { value: number ?? null, label: number === undefined ? shownText(value) : undefined };
}

function failureOf(error: unknown): Fields | undefined {
  if (error === undefined || error === null) return undefined;
  const { message, traceback } = fieldsOf(error);
  return {
    message: textOf(error) ?? textOf(message) ?? "The record does not give the reason.",
    traceback,
  };
}

function sumOf(usages: readonly unknown[]): Fields | undefined {
  const known = usages.flatMap((usage) => usageOf(usage) ?? []);
  if (known.length === 0) return undefined;
  const costs = usages.map(costOf);
  return {
    ...usageRow(
      known.reduce((sum, usage) => ({
        inputTokens: sum.inputTokens + usage.inputTokens,
        outputTokens: sum.outputTokens + usage.outputTokens,
      })),
    ),
    cost: costs.reduce(
      (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost),
      0,
    ),
  };
}

interface Output {
  readonly finish: string | undefined;
  readonly usage: unknown;
  readonly seconds: number | undefined;
  readonly logprobs: unknown;
}

/** What the model returned for each reply. A log without events has the output of the last reply only. */
function outputsOf(sample: Fields, replies: number): readonly Output[] {
  if (replies === 0) return [];
  const outputs = listOf(sample["events"])
    .map(fieldsOf)
    .filter(({ event }) => event === "model")
    .map(({ output }) => outputOf(output));
  if (outputs.length > 0) return outputs.slice(0, replies);
  const unknown = Array.from({ length: replies - 1 }, () => outputOf(undefined));
  return [...unknown, outputOf(sample["output"])];
}

function outputOf(value: unknown): Output {
  const output = fieldsOf(value);
  const choice = fieldsOf(listOf(output["choices"])[0]);
  return {
    finish: textOf(choice["stop_reason"]),
    usage: output["usage"],
    seconds: numberOf(output["time"]),
    logprobs: choice["logprobs"],
  };
}

function phasesOf(sample: Fields): readonly Phase[] {
  const total = numberOf(sample["total_time"]);
  const working = numberOf(sample["working_time"]);
  if (total === undefined) return [];
  if (working === undefined || working > total) return [{ name: "total", seconds: total }];
  return [
    { name: "working", seconds: working },
    { name: "waiting", seconds: total - working },
  ];
}
