/** A run that the viewer can open: one entry of the list. */
export interface RunEntry {
  /** Names the run in addresses of the viewer. Letters, digits, `.`, `_`, `~` and `-` only. */
  readonly id: string;
  readonly kind: "evaluation" | "training";
  readonly environment: string;
  readonly model: string;
  /** ISO 8601. */
  readonly date: string | null;
  readonly reward: number | null;
  /** Rollouts so far; `null` if unknown. */
  readonly rollouts: number | null;
  readonly isComplete: boolean;
  /** The place of the run for the reader: a path, or the name of a package. */
  readonly place: string;
}

/** A score of the run's rubric. */
export interface RunScore {
  readonly name: string;
  /** The factor of the score in the reward. `null` if the run does not say. */
  readonly weight: number | null;
}

/** The facts of an open run besides its rollouts. */
export interface RunHead extends RunEntry {
  readonly scores: readonly RunScore[];
  /** The least reward of a rollout that passes. */
  readonly passThreshold: number;
  /** The program that wrote the run. Only runs of `envs` are written by this project; the others are read. */
  readonly format: "envs" | "verifiers" | "inspect";
  /** The metadata as the run stores it, for the page that shows raw JSON. */
  readonly metadata: unknown;
  /** The cost from the run's metadata, for runs whose rows lack it: in the currency of its prices, with their source. */
  readonly cost?: { readonly total: number; readonly source: string | undefined } | undefined;
  /** The number of rollouts that the run plans; `null` if unknown. */
  readonly planned: number | null;
  /** Steps of a training whose rollouts are saved. Empty for an evaluation. */
  readonly steps: readonly TrainingStep[];
  /** The id of the training that this run is a step of. */
  readonly training?: string | undefined;
  /** The calls of each tool and of all judges in the whole run, where rows do not have them. */
  readonly tools?: RolloutRow["tools"];
  readonly judge?: RolloutRow["judge"];
}

/** A step of a training run whose rollouts are saved as a separate run. */
export interface TrainingStep {
  readonly phase: string;
  readonly step: number;
  /** The run's id. */
  readonly run: string;
}

/** A line of the index. The viewer keeps the summaries of all rollouts, and reads whole records on request. */
export interface RolloutRow {
  /** Unique within the run, and stable: `<example>-<rollout>`. A later row with the same id replaces this one. */
  readonly id: string;
  /** The example for the reader: its index, or its id in a log of another program. */
  readonly example: string;
  /** Rollouts with equal keys are attempts at the same example, in every run. */
  readonly key: string;
  readonly rollout: number;
  /** The part of a mix that played the example. Absent for other environments. */
  readonly mixPart?: string | undefined;
  /** A broken row is a line that is not a rollout. */
  readonly status: "scored" | "failed" | "broken";
  readonly reward: number | null;
  /** By name. */
  readonly scores: Readonly<Record<string, number | null>>;
  readonly turns: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The cost in US dollars. */
  readonly cost: number | null;
  readonly seconds: number | null;
  /** The stop reason of a scored rollout, and the error code of a failed one. */
  readonly ending: string;
  readonly isTruncated: boolean;
  readonly isFiltered: boolean;
  /** The calls of each tool by its name. Absent if the model called none. */
  readonly tools?: Readonly<Record<string, RowTool>> | undefined;
  /** The calls of all judges together. Absent if none was asked. */
  readonly judge?: RowJudge | undefined;
  /** The start of the last reply, or of the error's message. */
  readonly preview: string;
  /** The bytes of the record in the run's JSON lines: offset and length. Absent if the run has no such file. */
  readonly range?: readonly [number, number] | undefined;
  /** The position of the rollout in its record, for records with several rollouts. */
  readonly part?: number | undefined;
}

export interface RowTool {
  readonly calls: number;
  readonly errors: number;
  readonly seconds: number;
}

export interface RowJudge {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Curves of a training run. */
export interface CurvePoint {
  readonly phase: string;
  readonly step: number;
  readonly kind: string;
  /** Seconds since the start of the run. */
  readonly at: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** The messages of an open run: once `head`, then rows in batches, `ready` when all present rows are sent, then changes. */
export type RunMessage =
  | { readonly type: "head"; readonly head: RunHead }
  | { readonly type: "rows"; readonly rows: readonly RolloutRow[] }
  | { readonly type: "curves"; readonly points: readonly CurvePoint[] }
  /** All rows sent before are obsolete: the run was resumed, which rewrites its file. */
  | { readonly type: "reset" }
  | { readonly type: "ready" };

/** A message of a rollout that contains the searched text. */
export interface SearchMatch {
  /** The id of the rollout's row. */
  readonly id: string;
  /** The message's position in the conversation. */
  readonly message: number;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** A reader's note on a rollout. */
export interface Note {
  /** The id of the rollout's row. */
  readonly id: string;
  readonly text: string;
}
