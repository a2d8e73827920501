import type { Turn } from "@envs/core";
import type { Span } from "@envs/core/engine";

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

/** Reads the fields of a row; those that it lacks have defaults. */
export function modelCallOf(row: Partial<ModelCallRow> = {}): ModelCall {
  return {
    finish: row.finish_reason ?? "stop",
    usage: usageOf(row.usage),
    tokens: tokensOf(row.tokens),
    model: milliseconds(row.model),
  };
}

function tokensOf(row: ModelCallRow["tokens"]): Turn["tokens"] {
  if (!row) return undefined;
  const { prompt_ids: promptIds, completion_ids: completionIds, mm_placeholders } = row;
  const tokens = { promptIds, completionIds, completionLogprobs: row.completion_logprobs };
  return mm_placeholders ? { ...tokens, placeholders: mm_placeholders } : tokens;
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

export function milliseconds(span: Span | undefined): Span {
  return span === undefined
    ? { start: 0, end: 0 }
    : { start: span.start * 1000, end: span.end * 1000 };
}
