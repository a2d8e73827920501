import { omitUndefined, type Usage } from "@envs/core/engine";
import * as z from "zod";

/** Token counts of a row. Of the input tokens, some may come from the server's cache, or go into it. */
export interface UsageRow {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens?: number | null | undefined;
  readonly cache_write_tokens?: number | null | undefined;
}

export const cacheTokens: z.ZodType<number | null | undefined> = z
  .number()
  .nullish()
  .catch(undefined);

/** The schema of {@link UsageRow}. */
export const usage: z.ZodType<UsageRow> = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: cacheTokens,
  cache_write_tokens: cacheTokens,
});

export function usageRow(usage: Usage): UsageRow;
export function usageRow(usage: Usage | undefined): UsageRow | null;
export function usageRow(usage: Usage | undefined): UsageRow | null {
  if (usage === undefined) return null;
  return omitUndefined({
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  });
}

export function usageOf(usage: UsageRow): Usage;
export function usageOf(usage: UsageRow | null | undefined): Usage | undefined;
export function usageOf(usage: UsageRow | null | undefined): Usage | undefined {
  if (!usage) return undefined;
  return omitUndefined({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_tokens ?? undefined,
    cacheWriteTokens: usage.cache_write_tokens ?? undefined,
  });
}
