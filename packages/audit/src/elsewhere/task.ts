import type { Message } from "@envs/core";

/** The difference between a process and the one that runs the audit. */
export type Variation = "same" | "timezone" | "locale" | "clock" | "cpus";

/** The task of a process: an environment with a config, and replies to repeat. */
export interface ObservationTask {
  readonly variation: Variation;
  readonly module: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly split: string | undefined;
  readonly count: number;
  /** Conversations whose model messages are repeated. */
  readonly played: readonly {
    readonly position: number;
    readonly completion: readonly Message[];
  }[];
}

/** The observations of a process. */
export interface Observed {
  /** Each row of the dataset, as canonical JSON. */
  readonly rows: readonly string[];
  readonly played: readonly ObservedRollout[];
}

/** A repeated rollout. */
export interface ObservedRollout {
  readonly messages: readonly Message[];
  readonly reward: number | null;
  readonly error?: string | undefined;
}
