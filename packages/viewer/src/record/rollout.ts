import type { Phase, RecordedScore, RecordedToken } from "@envs/records";

/** A rollout as the viewer shows it, whichever program wrote its record. */
export interface ViewedRollout {
  readonly example: string;
  readonly key: string;
  /** The part of a mix that played the example, such as `wordle`. */
  readonly part?: string | undefined;
  readonly status: "scored" | "failed";
  readonly reward: number | null;
  readonly scores: readonly RecordedScore[];
  readonly messages: readonly ViewedMessage[];
  /** The number of messages before the model's first reply. */
  readonly promptLength: number;
  readonly turns: readonly ViewedTurn[];
  readonly stopReason: string | undefined;
  readonly isTruncated: boolean;
  readonly isFiltered: boolean;
  readonly error: ViewedError | undefined;
  readonly toolErrors: readonly string[];
  readonly tools: readonly ViewedTool[];
  readonly judges: readonly ViewedJudge[];
  /** The calls of sub-models, and the calls of an agent beside its turns. */
  readonly branches?: readonly ViewedBranch[] | undefined;
  /** The number of an agent's model calls, including turns, which have no branch. */
  readonly agentCalls?: number | undefined;
  /** The seat that the messages and the reward belong to. */
  readonly seat?: string | undefined;
  /** The other seats that models have played. */
  readonly otherSeats?: readonly ViewedSeat[] | undefined;
  /** Why the attempts before this one failed, in order. */
  readonly earlierErrors: readonly ViewedError[];
  /** The expected answer as the example states it. */
  readonly expected: string | undefined;
  readonly usage: ViewedUsage | undefined;
  readonly phases: readonly Phase[];
  /** The reward minus a baseline, if the trainer recorded it. */
  readonly advantage: number | undefined;
}

export interface ViewedMessage {
  readonly role: string;
  /** The tool of a tool message, or the agent of a reply. */
  readonly name: string | undefined;
  readonly parts: readonly MessagePart[];
  readonly toolCalls: readonly ViewedToolCall[];
  /** The call that a tool message responds to. */
  readonly toolCallId: string | undefined;
  readonly isError: boolean;
  /** The number of the turn in which the model wrote the message, from 0. */
  readonly turn: number | undefined;
}

export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A `data:` address, or a reference to a file beside the record. Addresses elsewhere are shown as text. */
  | { readonly type: "image"; readonly url: string }
  | { readonly type: "audio"; readonly url: string }
  | { readonly type: "file"; readonly url: string; readonly name: string };

export interface ViewedToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text, which may be invalid. */
  readonly arguments: string;
}

/** How often the model called a tool of the environment. */
export interface ViewedTool {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  readonly seconds: number;
}

/** The usage of a judge for this rollout. */
export interface ViewedJudge {
  readonly name: string;
  readonly calls: number;
  /** Answers from the cache, which are not calls. */
  readonly cached: number;
  readonly usage: ViewedUsage;
}

/**
 * One call beside the conversation: the environment asked a sub-model, or an agent its model or a helper. An `activity` is what
 * the agent did besides, such as changed files; `subModel` is its kind.
 */
export interface ViewedBranch {
  readonly kind: "sub-model" | "agent" | "helper" | "activity";
  /** The index of the turn in which it was made; `undefined` before the first turn. */
  readonly turn: number | undefined;
  /** The sub-model, or the model that the agent asked for. */
  readonly subModel: string;
  /** The messages that the model received, then its reply. */
  readonly messages: readonly ViewedMessage[];
  readonly usage: ViewedUsage | undefined;
  readonly seconds: number | undefined;
  readonly isOverflow: boolean;
}

/** The side of another seat. */
export interface ViewedSeat {
  readonly name: string;
  readonly model: string | undefined;
  readonly reward: number | null;
  readonly messages: readonly ViewedMessage[];
}

/** One call of the model. Unknown numbers are `undefined`, which is not 0. */
export interface ViewedTurn {
  readonly finish: string | undefined;
  readonly usage: ViewedUsage | undefined;
  /** In seconds. */
  readonly modelSeconds: number | undefined;
  readonly environmentSeconds: number | undefined;
  readonly tokens: readonly RecordedToken[];
  readonly reward: number | undefined;
  readonly advantage: number | undefined;
}

export interface ViewedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The cost in US dollars. */
  readonly cost: number | undefined;
}

export interface ViewedError {
  readonly code: string;
  readonly message: string;
  /** Causes or a stack, for the reader who looks for the place. */
  readonly details: readonly string[];
}
