import type { Message, ToolUses } from "@envs/core";
import type { Span, ToolSpec } from "@envs/core/engine";

import type { AgentCallRow } from "./agent-call-rows.ts";
import type {
  BranchRow,
  ErrorRow,
  JudgeUsageRow,
  Optional,
  SubModelUsageRow,
  TurnRow,
} from "./row-fields.ts";
import type { UsageRow } from "./usage-row.ts";

/** The side of another seat. Its fields mean what those of a row mean. */
export interface SeatRow extends Pick<
  Row,
  | "reward"
  | "metrics"
  | "feedback"
  | "is_truncated"
  | "is_filtered"
  | "token_usage"
  | "judge_usage"
  | "trajectory"
  | "unfinished_calls"
  | "tools"
  | "tool_errors"
  | "tool_defs"
> {
  /** The name of the model that played it. */
  readonly model?: Optional<string>;
  readonly prompt: readonly Message[];
  readonly completion: readonly Message[];
}

/** One rollout in `results.jsonl`, a superset of the rows of verifiers. Times are in seconds, `start` and `end` since 1970. */
export interface Row {
  readonly example_id: number;
  readonly example_key?: Optional<string>;
  readonly rollout_index?: Optional<number>;
  readonly environment?: Optional<string>;
  /** The part of a mix that played the example. Absent outside of a mix. */
  readonly part?: Optional<string>;
  readonly example?: Optional<{
    readonly prompt: string | readonly Message[];
    readonly [field: string]: unknown;
  }>;
  readonly prompt: string | readonly Message[];
  readonly completion?: Optional<string | readonly Message[]>;
  readonly answer?: unknown;
  readonly info?: unknown;
  readonly reward?: Optional<number>;
  readonly metrics?: Optional<Readonly<Record<string, number | null>>>;
  /** Why scores have their values, by name. Absent if no score explains it. */
  readonly feedback?: Optional<Readonly<Record<string, string>>>;
  readonly stop_condition?: Optional<string>;
  readonly is_completed?: Optional<boolean>;
  readonly is_truncated?: Optional<boolean>;
  readonly is_filtered?: Optional<boolean>;
  readonly error?: Optional<ErrorRow>;
  readonly timing?: Optional<{
    readonly setup: Span;
    readonly generation: Span;
    readonly scoring: Span;
    readonly [field: string]: unknown;
  }>;
  readonly token_usage?: Optional<UsageRow>;
  /** What the scores have asked of judges, by the name of the judge. Absent if nothing. */
  readonly judge_usage?: Optional<Readonly<Record<string, JudgeUsageRow>>>;
  readonly trajectory?: Optional<readonly TurnRow[]>;
  /** The model calls of an agent that led to no message, such as those before it failed. Absent if nothing. */
  readonly unfinished_calls?: Optional<readonly AgentCallRow[]>;
  /** What the environment asked sub-models. Absent if nothing. */
  readonly branches?: Optional<readonly BranchRow[]>;
  /** The number of sub-model calls that the budget has refused. Absent if none. */
  readonly sub_model_refusals?: Optional<number>;
  /** The seat that the messages and the reward belong to. Absent without seats. */
  readonly seat?: Optional<string>;
  /** The other seats that models have played, by name. Absent without them. */
  readonly other_seats?: Optional<Readonly<Record<string, SeatRow>>>;
  /** How often the model called each tool. Absent if it called none. */
  readonly tools?: Optional<ToolUses>;
  /** Why tools of the environment failed. Absent if none did. */
  readonly tool_errors?: Optional<readonly string[]>;
  /** How often the rollout was played. Absent if once. */
  readonly attempts?: Optional<number>;
  /** The attempts that failed and were played again. */
  readonly earlier_attempts?: Optional<
    readonly {
      readonly error: ErrorRow;
      readonly token_usage?: Row["token_usage"];
      readonly judge_usage?: Row["judge_usage"];
      readonly sub_model_usage?: Optional<Readonly<Record<string, SubModelUsageRow>>>;
      readonly [field: string]: unknown;
    }[]
  >;
  /** The tools that the model could call, if they depend on the example. */
  readonly tool_defs?: Optional<readonly ToolSpec[]>;
  readonly [field: string]: unknown;
}
