import { omitUndefined, type Usage } from "@envs/core/engine";

import { fieldsOf, numberOf } from "./json.ts";

/** Token counts of a row. Of the input tokens, some may come from the server's cache, or go into it. */
export interface UsageRow {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens?: number | null | undefined;
  readonly cache_write_tokens?: number | null | undefined;
  /** Whether counts are estimates, because the server has not reported them. */
  readonly is_estimated?: boolean | null | undefined;
}

export function usageRow(usage: Usage): UsageRow;
export function usageRow(usage: Usage | undefined): UsageRow | null;
export function usageRow(usage: Usage | undefined): UsageRow | null {
  if (usage === undefined) return null;
  return omitUndefined({
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    is_estimated: usage.isEstimated,
  });
}

/** Reads token counts, also those of other programs. `undefined` if the record lacks them: that is not 0. */
export function usageOf(value: unknown): Usage | undefined {
  const row = fieldsOf(value);
  const cached = numberOf(row["cached_input_tokens"]);
  const prompt = numberOf(row["prompt_tokens"]);
  // Verifiers counts the tokens from the server's cache apart from those of the prompt.
  const input =
    numberOf(row["input_tokens"]) ?? (prompt === undefined ? undefined : prompt + (cached ?? 0));
  const output = numberOf(row["output_tokens"]) ?? numberOf(row["completion_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  return omitUndefined({
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cacheReadTokens: numberOf(row["cache_read_tokens"]) ?? cached,
    cacheWriteTokens: numberOf(row["cache_write_tokens"]),
    isEstimated: row["is_estimated"] === true ? true : undefined,
  });
}

/** The cost in US dollars that the record states. */
export function costOf(value: unknown): number | undefined {
  const usage = fieldsOf(value);
  return numberOf(usage["cost"]) ?? numberOf(usage["total_cost"]);
}
