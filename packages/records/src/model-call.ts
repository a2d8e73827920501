import type { Turn } from "@envs/core";
import { mapValues, type Span } from "@envs/core/engine";

import { type Fields, fieldsOf, isFields, listOf, numberOf } from "./json.ts";
import { usageOf, type UsageRow, usageRow } from "./usage-row.ts";

/** What turns and branches have in common. */
type ModelCall = Pick<Turn, "finish" | "usage" | "tokens" | "model">;

/** The fields of a row that turns, branches and calls of agents have in common. */
export interface ModelCallRow {
  readonly finish_reason: "stop" | "length" | "tool_calls" | "content_filter";
  readonly usage?: UsageRow | null | undefined;
  readonly tokens?: TokenRow | null | undefined;
  readonly model: Span;
}

interface TokenRow {
  readonly prompt_ids: readonly number[];
  readonly completion_ids: readonly number[];
  readonly completion_logprobs: readonly number[];
  /** By modality, the prompt's tokens that stand for an image or sound. Absent if the server did not report them. */
  readonly mm_placeholders?:
    | Readonly<Record<string, readonly { readonly offset: number; readonly length: number }[]>>
    | null
    | undefined;
}

/** Converts a model call to the fields of its row. */
export function modelCallRow({ finish, usage, tokens, model }: ModelCall): ModelCallRow {
  return {
    finish_reason: finish,
    usage: usageRow(usage),
    tokens:
      tokens === undefined
        ? null
        : {
            prompt_ids: tokens.promptIds,
            completion_ids: tokens.completionIds,
            completion_logprobs: tokens.completionLogprobs,
            ...(tokens.placeholders && { mm_placeholders: tokens.placeholders }),
          },
    model: seconds(model),
  };
}

const finishReasons = ["stop", "length", "tool_calls", "content_filter"] as const;

/** Reads a model call, with defaults for fields that it lacks. */
export function modelCallOf(row: Fields): ModelCall {
  return {
    finish: finishReasons.find((reason) => reason === row["finish_reason"]) ?? "stop",
    usage: usageOf(row["usage"]),
    tokens: tokensOf(row["tokens"]),
    model: milliseconds(row["model"]),
  };
}

/** Reads the tokens; `undefined` if they are damaged, because a trainer must not learn from a part of them. */
function tokensOf(value: unknown): Turn["tokens"] {
  const row = fieldsOf(value);
  const promptIds = numbersOf(row["prompt_ids"]);
  const completionIds = numbersOf(row["completion_ids"]);
  const completionLogprobs = numbersOf(row["completion_logprobs"]);
  if (!promptIds || !completionIds || !completionLogprobs) return undefined;
  const placeholders = placeholdersOf(row["mm_placeholders"]);
  return { promptIds, completionIds, completionLogprobs, ...(placeholders && { placeholders }) };
}

function numbersOf(value: unknown): readonly number[] | undefined {
  return Array.isArray(value) && value.every(Number.isFinite) ? value : undefined;
}

function placeholdersOf(value: unknown): NonNullable<Turn["tokens"]>["placeholders"] {
  if (!isFields(value)) return undefined;
  return mapValues(value, (spans) =>
    listOf(spans)
      .map(fieldsOf)
      .map((span) => ({
        offset: numberOf(span["offset"]) ?? 0,
        length: numberOf(span["length"]) ?? 0,
      })),
  );
}

export function seconds({ start, end }: Span): Span {
  return { start: inSeconds(microseconds(start)), end: inSeconds(microseconds(end)) };
}

/** Rounds to whole microseconds: the further digits of a clock are noise that takes disk space. */
export function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000);
}

export function inSeconds(microseconds: number): number {
  return microseconds / 1e6;
}

/** Reads a span of seconds. */
export function milliseconds(value: unknown): Span {
  const { start, end } = fieldsOf(value);
  const [from, to] = [numberOf(start), numberOf(end)];
  return from === undefined || to === undefined
    ? { start: 0, end: 0 }
    : { start: from * 1000, end: to * 1000 };
}
