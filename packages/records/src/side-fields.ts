import type { ToolUses, Turn } from "@envs/core";
import { isFiltered, mapValues, type ToolSpec } from "@envs/core/engine";

import { type Fields, fieldsOf, isFields, listOf, numberOf, shownText } from "./json.ts";
import { readToolSpecs } from "./read-message.ts";

/** Reads scores by name. A value that is not a finite number becomes `null`: the score was not computed. */
export function scoresOf(metrics: unknown): Readonly<Record<string, number | null>> {
  return mapValues(fieldsOf(metrics), (value) => numberOf(value) ?? null);
}

/** Reads why scores have their values. */
export function feedbackOf(value: unknown): Readonly<Record<string, string>> | undefined {
  return isFields(value) ? mapValues(value, shownText) : undefined;
}

/** Whether a reply was cut because of its content. Older rows lack the field; then the turns decide. */
export function readFiltered(row: Fields, trajectory: readonly Turn[]): boolean {
  const stated = row["is_filtered"];
  return typeof stated === "boolean" ? stated : isFiltered(trajectory);
}

/** Reads how the model used its tools, under the field names of rollouts and seats. */
export function toolFieldsOf(row: Fields): {
  readonly tools: ToolUses | undefined;
  readonly toolErrors: readonly string[] | undefined;
  readonly toolSpecs: readonly ToolSpec[] | undefined;
} {
  const { tools, tool_errors: errors } = row;
  return {
    tools: isFields(tools) ? mapValues(tools, toolUseOf) : undefined,
    toolErrors: Array.isArray(errors) ? listOf(errors).map(shownText) : undefined,
    toolSpecs: readToolSpecs(row["tool_defs"]),
  };
}

function toolUseOf(value: unknown): ToolUses[string] {
  const { calls, errors, seconds } = fieldsOf(value);
  return {
    calls: numberOf(calls) ?? 0,
    errors: numberOf(errors) ?? 0,
    seconds: numberOf(seconds) ?? 0,
  };
}
