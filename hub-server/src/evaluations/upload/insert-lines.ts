import type { RolloutFacts } from "@envs/core/engine";
import { sql } from "kysely";

import type { Database, Row } from "../../platform/database/tables.ts";
import type { checkMetrics } from "./check-metrics.ts";
import type { CheckedRollout } from "./check-rollout.ts";
import type { StoredPart } from "./part-content.ts";

type Part = Row<"run_parts">;
const maxTextLength = 500;
const maxToolErrors = 100;

/** Inserts the facts of a part's rollouts as one JSON parameter, however many there are. */
export async function insertRollouts(
  database: Database,
  part: Part,
  {
    facts,
    members,
  }: { readonly facts: readonly CheckedRollout[]; readonly members: StoredPart["members"] },
): Promise<void> {
  const rows = facts.map((rollout, index) => ({
    run_id: part.run_id,
    position: part.first_position + index,
    part: part.part,
    member_start: members[index]!.start,
    member_bytes: members[index]!.size,
    phase: part.phase,
    step: part.step,
    example_key: rollout.exampleKey,
    example_index: rollout.exampleIndex,
    rollout_index: rollout.rolloutIndex,
    ...outcomeOf(rollout),
    is_truncated: rollout.isTruncated,
    is_filtered: rollout.isFiltered,
    turns: rollout.turns,
    input_tokens: rollout.usage.inputTokens,
    output_tokens: rollout.usage.outputTokens,
    cache_read_tokens: rollout.usage.cacheReadTokens ?? null,
    cache_write_tokens: rollout.usage.cacheWriteTokens ?? null,
    is_usage_known: rollout.isUsageKnown,
    uses: usesOf(rollout),
    replies: rollout.replies,
    example_hash: rollout.exampleHash,
    tool_errors: (rollout.toolErrors ?? []).slice(0, maxToolErrors).map(storable),
  })) satisfies readonly Row<"rollouts">[];
  await sql`
    insert into rollouts select * from json_populate_recordset(null::rollouts, ${JSON.stringify(rows)}::json)`.execute(
    database,
  );
}

const maxNames = 100;

/** The tools, judges and attempts of a rollout; null without any. Names may come from models. */
function usesOf({ tools, judgeUsage, retries }: RolloutFacts): Row<"rollouts">["uses"] {
  const uses = {
    ...(hasEntries(tools) && { tools: storableNames(tools) }),
    ...(hasEntries(judgeUsage) && { judgeUsage: storableNames(judgeUsage) }),
    ...(hasEntries(retries) && { retries: retries.slice(0, maxNames) }),
  };
  return Object.keys(uses).length === 0 ? null : uses;
}

function hasEntries<Value extends object>(value: Value | undefined): value is Value {
  return value !== undefined && Object.keys(value).length > 0;
}

function storableNames<Value>(uses: Readonly<Record<string, Value>>): Record<string, Value> {
  const entries = Object.entries(uses).slice(0, maxNames);
  return Object.fromEntries(entries.map(([name, value]) => [storable(name), value]));
}

function outcomeOf(rollout: RolloutFacts) {
  if (rollout.status === "failed") {
    const { code, message } = rollout.error;
    return {
      reward: null,
      scores: {},
      stop_reason: null,
      error_code: code,
      error_message: storable(message),
    };
  }
  const { reward, scores, stopReason } = rollout;
  return {
    reward,
    scores: { ...scores },
    stop_reason: storable(stopReason),
    error_code: null,
    error_message: null,
  };
}

/** PostgreSQL stores neither NUL characters nor unpaired surrogates. */
function storable(text: string): string {
  return text.slice(0, maxTextLength).replaceAll("\0", "\u{FFFD}").toWellFormed();
}

/** Inserts rows of a training's metrics. */
export async function insertMetrics(
  database: Database,
  part: Part,
  rows: readonly ReturnType<typeof checkMetrics>[],
): Promise<void> {
  const values = rows.map(({ phase, step, kind, at, values }, index) => ({
    run_id: part.run_id,
    position: part.part * 10_000 + index,
    phase,
    step,
    kind,
    seconds: at,
    values,
  }));
  await sql`
    insert into run_metrics select * from json_populate_recordset(null::run_metrics, ${JSON.stringify(values)}::json)`.execute(
    database,
  );
}
