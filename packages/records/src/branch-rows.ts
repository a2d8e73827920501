import type { Branch, SubModelUsages } from "@envs/core";
import { mapValues, omitUndefined } from "@envs/core/engine";

import { fieldsOf, numberOf, textOf } from "./json.ts";
import { judgeUsageOf } from "./judge-usage.ts";
import { modelCallOf, modelCallRow } from "./model-call.ts";
import { readReply, readSentMessages, readToolSpecs } from "./read-message.ts";
import type { BranchRow, SubModelUsageRow } from "./row-fields.ts";

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

/** Reads a sub-model call. */
export function branchOf(value: unknown): Branch {
  const row = fieldsOf(value);
  return {
    turn: numberOf(row["turn"]),
    subModel: textOf(row["sub_model"]) ?? "sub-model",
    messages: readSentMessages(row["messages"]),
    message: readReply(row["message"]),
    ...modelCallOf(row),
    ...omitUndefined({
      tools: readToolSpecs(row["tool_defs"]),
      isOverflow: typeof row["is_overflow"] === "boolean" ? row["is_overflow"] : undefined,
    }),
  };
}

/** The usage of sub-models as a row stores it. */
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

export function subModelUsageOf(value: unknown): SubModelUsages {
  return mapValues(judgeUsageOf(value), ({ calls, inputTokens, outputTokens, unknownCalls }) => ({
    calls,
    inputTokens,
    outputTokens,
    unknownCalls,
  }));
}
