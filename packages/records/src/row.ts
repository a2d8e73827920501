import type { Message, ToolUses } from "@envs/core";
import type { Span, ToolSpec } from "@envs/core/engine";
import * as z from "zod";

import type { AgentCallRow } from "./agent-call-rows.ts";
import { message, sentMessage, toolSpecs } from "./message-schema.ts";
import type {
  BranchRow,
  ErrorRow,
  JudgeUsageRow,
  Optional,
  SubModelUsageRow,
  TurnRow,
} from "./row-fields.ts";
import { cacheTokens, usage, type UsageRow } from "./usage-row.ts";

const span = z.object({ start: z.number(), end: z.number() }).catch({ start: 0, end: 0 });
const loose = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** A conversation. For completion models, verifiers stores plain text. */
const messages = z.union([z.array(message), z.string()]);

const modelCall = z.object({
  finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter"]).catch("stop"),
  usage: loose(usage),
  tokens: loose(
    z.object({
      prompt_ids: z.array(z.int()),
      completion_ids: z.array(z.int()),
      completion_logprobs: z.array(z.number()),
      mm_placeholders: loose(
        z.record(z.string(), z.array(z.object({ offset: z.int(), length: z.int() }))),
      ),
    }),
  ),
  model: span,
});

const agentCall = modelCall.extend({
  dialect: z.string(),
  requested_model: z.string(),
  after: z.int().nonnegative().nullable(),
  messages: z.array(sentMessage),
  reply: z.int().nonnegative(),
  message: message.optional(),
  tool_defs: toolSpecs.nullish(),
});

const turn = modelCall.extend({
  seen: z.int(),
  env: span,
  calls: loose(z.array(agentCall)),
});

const branch = modelCall.extend({
  turn: z.int().nullable(),
  sub_model: z.string(),
  messages: z.array(sentMessage),
  message,
  tool_defs: loose(toolSpecs),
  is_overflow: loose(z.boolean()),
});

const judgeUsage = z.object({
  calls: z.number(),
  cached: z.number().catch(0),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: cacheTokens.optional(),
  cache_write_tokens: cacheTokens.optional(),
  unknown_calls: z.number().catch(0),
});

const subModelUsage = judgeUsage.omit({ cached: true });

const otherSeat = z.looseObject({
  model: loose(z.string()),
  prompt: z.array(message),
  completion: z.array(message),
  reward: loose(z.number()),
  metrics: loose(z.record(z.string(), z.number().nullable())),
  feedback: loose(z.record(z.string(), z.string())),
  is_truncated: loose(z.boolean()),
  is_filtered: loose(z.boolean()),
  token_usage: loose(usage),
  judge_usage: loose(z.record(z.string(), judgeUsage)),
  trajectory: loose(z.array(turn)),
  unfinished_calls: loose(z.array(agentCall)),
  tools: loose(
    z.record(z.string(), z.object({ calls: z.int(), errors: z.int(), seconds: z.number() })),
  ),
  tool_errors: loose(z.array(z.string())),
  tool_defs: loose(toolSpecs),
});

/** The schema of a stored example. */
export const example: z.ZodType<NonNullable<Row["example"]>> = z.looseObject({ prompt: messages });

const error: z.ZodType<ErrorRow> = z.union([
  z.string(),
  z.looseObject({
    code: loose(z.string()),
    error: loose(z.string()),
    message: loose(z.string()),
    chain: loose(z.array(z.string())),
    is_fatal: loose(z.boolean()),
  }),
]);

/**
 * The schema of one line of `results.jsonl`, a superset of verifiers' rows. Only fields that verifiers always writes are
 * required. Times are in seconds, `start` and `end` since 1970.
 */
export const row: z.ZodType<Row> = z.looseObject({
  example_id: z.int(),
  example_key: loose(z.string()),
  rollout_index: loose(z.int()),
  environment: loose(z.string()),
  part: loose(z.string()),
  example: loose(example),
  prompt: messages,
  completion: messages.nullish(),
  answer: loose(z.unknown()),
  info: loose(z.unknown()),
  reward: z.number().nullish(),
  metrics: loose(z.record(z.string(), z.number().nullable())),
  feedback: loose(z.record(z.string(), z.string())),
  stop_condition: loose(z.string()),
  is_completed: loose(z.boolean()),
  is_truncated: loose(z.boolean()),
  is_filtered: loose(z.boolean()),
  error: loose(error),
  timing: loose(z.looseObject({ setup: span, generation: span, scoring: span })),
  token_usage: loose(usage),
  judge_usage: loose(z.record(z.string(), judgeUsage)),
  trajectory: loose(z.array(turn)),
  unfinished_calls: loose(z.array(agentCall)),
  branches: loose(z.array(branch)),
  seat: loose(z.string()),
  other_seats: loose(z.record(z.string(), otherSeat)),
  tools: loose(
    z.record(z.string(), z.object({ calls: z.int(), errors: z.int(), seconds: z.number() })),
  ),
  tool_errors: loose(z.array(z.string())),
  attempts: loose(z.int()),
  earlier_attempts: loose(
    z.array(
      z.looseObject({
        error,
        token_usage: loose(usage),
        judge_usage: loose(z.record(z.string(), judgeUsage)),
        sub_model_usage: loose(z.record(z.string(), subModelUsage)),
      }),
    ),
  ),
  tool_defs: loose(toolSpecs),
});

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

/** One rollout in `results.jsonl`. */
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
  /** What an agent asked its model without a message that follows, as before it failed. Absent if nothing. */
  readonly unfinished_calls?: Optional<readonly AgentCallRow[]>;
  /** What the environment asked sub-models. Absent if nothing. */
  readonly branches?: Optional<readonly BranchRow[]>;
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
