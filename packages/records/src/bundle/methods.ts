import type {
  AssistantMessage,
  Board,
  Example,
  JudgeUsages,
  Message,
  StopReason,
} from "@envs/core";
import type { FinishReason, LabelledChoice, ScoreResult, ToolSpec, Usage } from "@envs/core/engine";

/** The version of the methods that a bundle answers. */
export const bundleFormat = 1;

/** The dataset that a request reads: an environment's config, and how its examples are drawn. */
export interface DatasetQuery {
  /** The options that differ from their defaults. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** The run's seed. Default 0. */
  readonly seed?: number | undefined;
  /** Default: `eval` if it exists, else the first. */
  readonly split?: string | undefined;
  readonly shuffle?: boolean | undefined;
}

/** An example by its position; with a key, the request fails if the example there has another one. */
export interface ExampleReference {
  readonly index: number;
  readonly key?: string | undefined;
  /** Also finds an example with the key elsewhere, in the datasets of versions that added or removed examples. */
  readonly isMovable?: boolean | undefined;
}

/** A page of a dataset. */
export interface ExamplePage {
  readonly splits: readonly string[];
  readonly examples: readonly {
    readonly index: number;
    readonly key: string;
    readonly example?: Example | undefined;
  }[];
  /** Whether examples follow. */
  readonly hasMore: boolean;
}

/** The state of an episode after a step. */
export interface EpisodeView {
  /**
   * The seat whose reply comes next, in an environment with seats; after the end, the first of the caller's. `messages` are of
   * its conversation. `choices` and `scores` are absent unless it is the first.
   */
  readonly seat?: string | undefined;
  /** The messages that are new: at first, the whole prompt. */
  readonly messages: readonly Message[];
  readonly isDone: boolean;
  readonly stopReason?: StopReason | undefined;
  /** The scores that the episode would get now; absent if its scores need the end of the episode, a model or a group. */
  readonly scores?: ScoreResult | undefined;
  /** The environment rejected the reply. */
  readonly isInvalid?: boolean | undefined;
  /** The legal replies, where the environment lists them. */
  readonly choices?: readonly LabelledChoice[] | undefined;
  /** The position as the first of the caller's seats sees it. */
  readonly board?: Board | undefined;
}

/** An episode that has started. */
export interface StartedEpisode extends EpisodeView {
  /** Names the episode in later requests. */
  readonly episode: number;
  readonly index: number;
  readonly key: string;
  readonly tools: readonly ToolSpec[];
  readonly maxTurns: number;
}

/** A reply of a recorded rollout. */
export interface RecordedReply {
  readonly message: AssistantMessage;
  /** The reply reached its token limit. */
  readonly isTruncated?: boolean | undefined;
}

/** The reply of a sub-model to a recorded call. */
export interface RecordedBranch {
  /** The hash of the messages that the sub-model received. */
  readonly request: string;
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage?: Usage | undefined;
  readonly isOverflow?: boolean | undefined;
}

/** What a driver recorded of one rollout, without its scores. */
export interface RecordedRollout {
  readonly replies: readonly RecordedReply[];
  /** The replies of sub-models. Absent if the environment asked none. */
  readonly branches?: readonly RecordedBranch[] | undefined;
  /** The driver's limit that ended the rollout; absent if the environment ended it. */
  readonly limit?: "tokens" | "context" | undefined;
  /** The seat of the replies. Absent without seats. */
  readonly seat?: string | undefined;
  /** The replies of models in other seats, by name. Absent if policies played them. */
  readonly otherSeats?: Readonly<Record<string, readonly RecordedReply[]>> | undefined;
}

/** A rollout that was replayed and scored again, or the reason why that is not possible. */
export type ReplayedRollout =
  | {
      readonly reward: number;
      readonly scores: ScoreResult["scores"];
      readonly stopReason: StopReason;
      readonly isTruncated: boolean;
      readonly prompt: readonly Message[];
      readonly completion: readonly Message[];
      /** The weights of the scores that need a judge, which a replay does not ask: they are `null`, and the reward lacks them. */
      readonly unjudged?: ScoreResult["unjudged"];
      readonly feedback?: ScoreResult["feedback"];
      /** What judges cost, where the caller passed some. */
      readonly judgeUsage?: JudgeUsages | undefined;
      readonly problem?: undefined;
    }
  | { readonly problem: string; readonly unjudged?: undefined };

/** Starts an episode of an example. */
export interface StartRequest extends DatasetQuery {
  readonly example: ExampleReference;
  readonly maxTurns?: number | undefined;
  /** The seats whose replies the caller sends. The first is scored. Default: the first seat. Policies play the others. */
  readonly seats?: readonly string[] | undefined;
}

/** Replays recorded rollouts of one example, which group scores compare with each other. */
export interface ReplayRequest extends Omit<StartRequest, "seats"> {
  readonly rollouts: readonly RecordedRollout[];
}

/** What a bundle can be asked. Arguments and results are JSON. */
export interface BundleMethods {
  /** The name of the environment and the version of these methods. */
  describe(request: Readonly<Record<never, never>>): {
    readonly name: string;
    readonly format: number;
  };
  /** Lists examples: at most 100, by default 20, and with `hasContent` with their rows. */
  examples(
    request: DatasetQuery & {
      readonly offset?: number | undefined;
      readonly count?: number | undefined;
      readonly hasContent?: boolean | undefined;
    },
  ): Promise<ExamplePage>;
  /** Also returns the example, which the record of a rollout contains. */
  start(request: StartRequest): Promise<StartedEpisode & { readonly example: Example }>;
  /** Steps an episode with the reply of the seat that comes next: text, or a message with tool calls. */
  respond(request: {
    readonly episode: number;
    readonly reply: string | AssistantMessage;
    /** The reply reached its token limit. */
    readonly isTruncated?: boolean | undefined;
  }): Promise<EpisodeView>;
  /** Returns the reply that a policy would give in the next seat, without playing it. */
  advise(request: {
    readonly episode: number;
    readonly policy: string;
    /** The number in the policy's name, such as 0.3 in `mixed(0.3)`. */
    readonly parameter?: number | undefined;
    readonly seed?: number | undefined;
  }): Promise<AssistantMessage>;
  /** Scores that need a judge are `null`. */
  score(request: { readonly episode: number }): Promise<ScoreResult>;
  /** Ends an episode and forgets it. */
  close(request: { readonly episode: number }): Promise<Readonly<Record<never, never>>>;
  replay(request: ReplayRequest): Promise<{ readonly rollouts: readonly ReplayedRollout[] }>;
}

/** A request as text. */
export interface BundleRequest {
  readonly method: keyof BundleMethods;
  readonly params: unknown;
}

/** A response as text: the result, or why the request failed. */
export type BundleResponse =
  | { readonly result: unknown; readonly error?: undefined }
  | {
      /** `config`: the request is not valid. Other codes are those of rollouts. */
      readonly error: { readonly code: string; readonly message: string };
    };
