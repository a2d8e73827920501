import type { AssistantMessage, Branch, SubModelUsages } from "@envs/core";
import { omitUndefined } from "@envs/core/engine";

import { modelCallOf, modelCallRow } from "./model-call.ts";
import type { BranchRow, SubModelUsageRow } from "./row-fields.ts";

/** Converts a sub-model call to its row. */
export function branchRow(branch: Branch): BranchRow {
  const { turn, subModel, messages, message, tools, isOverflow } = branch;
  return {
    turn: turn ?? null,
    sub_model: subModel,
    messages,
    message,
    ...modelCallRow(branch),
    ...omitUndefined({ tool_defs: tools, is_overflow: isOverflow }),
  };
}

export function branchOf(row: BranchRow): Branch {
  return {
    turn: row.turn ?? undefined,
    subModel: row.sub_model,
    messages: row.messages,
    message: row.message as AssistantMessage,
    ...modelCallOf(row),
    ...omitUndefined({
      tools: row.tool_defs ?? undefined,
      isOverflow: row.is_overflow ?? undefined,
    }),
  };
}

/** What sub-models cost, as records have it. */
export function subModelUsageRow(
  usages: SubModelUsages,
): Readonly<Record<string, SubModelUsageRow>> {
  return Object.fromEntries(
    Object.entries(usages).map(([name, { calls, inputTokens, outputTokens, unknownCalls }]) => [
      name,
      {
        calls,
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        unknown_calls: unknownCalls,
      },
    ]),
  );
}

export function subModelUsageOf(rows: Readonly<Record<string, SubModelUsageRow>>): SubModelUsages {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [
      name,
      {
        calls: row.calls,
        inputTokens: row.input_tokens,
        outputTokens: row.output_tokens,
        unknownCalls: row.unknown_calls,
      },
    ]),
  );
}
