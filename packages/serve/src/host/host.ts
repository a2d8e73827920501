import type { AssistantMessage, Message, Seed } from "@envs/core";
import type { ScoreDescription, ToolSpec } from "@envs/core/engine";

import type { TaskQuery, Task, ServedSplit } from "./task.ts";

/** What is known of a served environment before anything is played. */
export interface EnvironmentCard {
  readonly name: string;
  readonly description: string;
  readonly version: string | undefined;
  readonly readme: string | undefined;
  /** The environment's own tools, under its own names; none if it only reads text. */
  readonly tools: readonly ToolSpec[];
  /** How often the model may speak. */
  readonly maxTurns: number;
  readonly scores: readonly ScoreDescription[];
  readonly splits: readonly ServedSplit[];
}

/** The end of an episode. */
export interface Outcome {
  readonly reward: number;
  /** By name; `null` where a score does not apply. */
  readonly scores: Readonly<Record<string, number | null>>;
  readonly stopReason: string;
  readonly isTruncated: boolean;
}

/** What an episode says after it has started, and after each message of the model. JSON. */
export interface Report {
  /** At the start the prompt, later what came after the model's message. */
  readonly messages: readonly Message[];
  /** Set once the episode is done. */
  readonly outcome: Outcome | undefined;
}

/** What is known of a message besides what it says. */
export interface StepOptions {
  /** Whether a limit of tokens cut it short. Default false. */
  readonly isTruncated?: boolean;
}

/** Where the episodes of one environment run: in this thread, or in another. All that passes is JSON. */
export interface EpisodeHost {
  readonly card: EnvironmentCard;
  /** Finds an example. Throws a {@link ServeError} if there is none such. */
  task(query: TaskQuery): Promise<Task>;
  /** Starts an episode under an `id` of the caller's. It may be done at once. */
  open(id: string, task: Task, seed: Seed): Promise<Report>;
  /** One at a time for each episode. */
  step(id: string, message: AssistantMessage, options?: StepOptions): Promise<Report>;
  /** Scores an episode whose trainer has stopped asking: a limit was reached. */
  finish(id: string): Promise<Report>;
  /** Ends an episode, whatever it is doing. Unknown ids are no error. */
  close(id: string): Promise<void>;
  /** Ends all. */
  [Symbol.asyncDispose](): Promise<void>;
}
