import type { AssistantMessage, Board, Message, Seed } from "@envs/core";
import type { LabelledChoice, ScoreDescription, ToolSpec } from "@envs/core/engine";

import type { ServeError } from "../errors.ts";
import type { ServedSplit, Task, TaskQuery } from "./tasks.ts";

/** The description of a served environment. */
export interface EnvironmentCard {
  readonly name: string;
  readonly description: string;
  readonly version: string | undefined;
  readonly readme: string | undefined;
  /**
   * The environment's own tools, under their own names; empty if the environment only reads text, `undefined` if each episode
   * has its own.
   */
  readonly tools: readonly ToolSpec[] | undefined;
  readonly maxTurns: number;
  /** The names of the seats that a client can take. Empty without seats. */
  readonly seats: readonly string[];
  readonly scores: readonly ScoreDescription[];
  readonly splits: readonly ServedSplit[];
  /** Whether the dataset itself names its splits. */
  readonly hasSplits: boolean;
}

/** The rewarded scores that compare the rollouts of one example. */
export function groupScoresOf({ scores }: Pick<EnvironmentCard, "scores">): readonly string[] {
  return scores.filter(({ isGroup, weight }) => isGroup && weight !== 0).map(({ name }) => name);
}

/** The result of an episode. */
export interface Outcome {
  /** `null` if the rubric compares the rollouts of a group: {@link EpisodeHost.scoreGroup} scores them. */
  readonly reward: number | null;
  /** The scores by name; `null` if a score does not apply. Empty without a reward. */
  readonly scores: Readonly<Record<string, number | null>>;
  readonly stopReason: string;
  readonly isTruncated: boolean;
}

/** The result of an episode that was scored. */
export interface ScoredOutcome extends Outcome {
  readonly reward: number;
}

/** The view of an episode after its start and after each message of the model. JSON. */
export interface EpisodeObservation {
  /** At the start the prompt, later the environment's new messages. */
  readonly messages: readonly Message[];
  /** At the start, the tools of an episode that has its own. */
  readonly tools?: readonly ToolSpec[] | undefined;
  /** The reward of the turn, if the environment gave one before the end. */
  readonly turnReward?: number | undefined;
  /** Set once the episode is done. */
  readonly outcome: Outcome | undefined;
}

/** The choices and the board of a position, which a person can click. JSON. */
export interface EpisodePosition {
  readonly choices?: readonly LabelledChoice[] | undefined;
  readonly board?: Board | undefined;
}

/** How an episode is opened. JSON. */
export interface OpenOptions {
  readonly seed: Seed;
  /** The seat of the client's model. Default: the first. */
  readonly seat?: string | undefined;
}

/** Facts about a model's message besides its content. */
export interface StepOptions {
  /** Whether a token limit cut the message. Default false. */
  readonly isTruncated?: boolean;
}

/** Runs the episodes of one environment, in this process or in others. Arguments and results are JSON, except callbacks. */
export interface EpisodeHost {
  readonly card: EnvironmentCard;
  /**
   * Throws a {@link ServeError} if the example does not exist. `count` is the number of earlier queries without an index, if
   * the caller counts them.
   */
  task(query: TaskQuery, count?: number): Promise<Task>;
  /**
   * Starts an episode under an `id` that the caller chooses. The episode may be done at once. `onLost` is called if the process
   * of the episode ends.
   */
  open(
    id: string,
    task: Task,
    options: OpenOptions,
    onLost?: (error: ServeError) => void,
  ): Promise<EpisodeObservation>;
  /** Callers wait for a step of an episode before they start its next. */
  step(id: string, message: AssistantMessage, options?: StepOptions): Promise<EpisodeObservation>;
  /** The legal replies and the board of a running episode, where the environment has them. */
  position(id: string): Promise<EpisodePosition>;
  /** Ends an episode as truncated, and scores it. */
  finish(id: string): Promise<EpisodeObservation>;
  /** Scores ended episodes of one example together. Returns their outcomes, in order. */
  scoreGroup(ids: readonly string[]): Promise<readonly ScoredOutcome[]>;
  /** Ends an episode, and cancels its running step. Ignores unknown ids. */
  close(id: string): Promise<void>;
  /** Ends all episodes. */
  [Symbol.asyncDispose](): Promise<void>;
}
