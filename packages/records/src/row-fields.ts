import type { Message } from "@envs/core";
import type { Span, ToolSpec } from "@envs/core/engine";

import type { AgentCallRow } from "./agent-call-rows.ts";
import type { ModelCallRow } from "./model-call.ts";
import type { UsageRow } from "./usage-row.ts";

/** A field that may be absent or null. */
export type Optional<Value> = Value | null | undefined;

/** One model call of a row. Its message is the next assistant message of the completion. */
export interface TurnRow extends ModelCallRow {
  readonly seen: number;
  readonly env: Span;
  /** The model calls of an agent. Absent if a model replied. */
  readonly calls?: Optional<readonly AgentCallRow[]>;
  /** What an agent did besides its calls, such as permissions and changed files. Absent if it reports nothing. */
  readonly activity?: Optional<readonly { readonly kind: string; readonly text: string }[]>;
}

/** One call of a sub-model, which hangs on a turn of the trajectory. */
export interface BranchRow extends Omit<TurnRow, "seen" | "env" | "activity"> {
  /** The index in the trajectory; `null` before the first turn. */
  readonly turn: number | null;
  readonly sub_model: string;
  readonly messages: readonly Message[];
  readonly message: Message;
  readonly tool_defs?: Optional<readonly ToolSpec[]>;
  /** The messages exceeded the context of the sub-model, which did not reply. */
  readonly is_overflow?: Optional<boolean>;
}

/** The usage of one judge in a rollout. */
export interface JudgeUsageRow extends UsageRow {
  readonly calls: number;
  /** The number of answers that another score or rollout had paid for. */
  readonly cached: number;
  readonly unknown_calls: number;
}

/** The usage of one sub-model in a rollout. */
export type SubModelUsageRow = Omit<JudgeUsageRow, "cached">;

/** Why a rollout failed. Verifiers may store only a text. */
export type ErrorRow =
  | string
  | {
      readonly code?: Optional<string>;
      readonly error?: Optional<string>;
      readonly message?: Optional<string>;
      readonly chain?: Optional<readonly string[]>;
      readonly is_fatal?: Optional<boolean>;
      readonly [field: string]: unknown;
    };
