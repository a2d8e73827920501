import type { Model, Sampling } from "@envs/core";
import type { TokenPrice } from "@envs/models/prices";

import type { Candidate } from "./candidate.ts";
import type { PlayOptions } from "./evaluate-prompts.ts";
import type { HeldOut } from "./held-out.ts";
import type { Journal } from "./journal.ts";
import type { OptimizeBudget } from "./spending.ts";

/** The events of an optimization. */
export type OptimizeEvent =
  | { readonly type: "candidate"; readonly candidate: Candidate; readonly best: Candidate }
  | {
      readonly type: "rejected";
      readonly parents: readonly number[];
      readonly changed: readonly string[];
      readonly before: number;
      readonly after: number;
    };

/** How prompts are optimized. The options of `rollouts` mean the same as there. */
export interface OptimizeOptions extends Pick<
  PlayOptions,
  | "judge"
  | "judgeStore"
  | "judgeConcurrency"
  | "judgeTimeout"
  | "subModel"
  | "subModelConcurrency"
  | "concurrency"
  | "maxTurns"
  | "turnTimeout"
  | "rolloutTimeout"
  | "signal"
> {
  /** The model that plays. */
  readonly model: Model;
  readonly sampling?: Sampling | undefined;
  /** The model that proposes prompts. */
  readonly reflection: Model;
  readonly budget: OptimizeBudget;
  readonly price?: TokenPrice | undefined;
  readonly reflectionPrice?: TokenPrice | undefined;
  /** What a rollout's judges, sub-models and helpers cost. Default: nothing. */
  readonly otherCost?: PlayOptions["otherCost"];
  /** The number of examples that reflection reads, and of those that select candidates. Default 20 each. */
  readonly trainExamples?: number | undefined;
  /** The number of examples that neither reads: only the first and the best prompts are played on them. Default 20. */
  readonly heldOutExamples?: number | undefined;
  /** The number of conversations that one reflection reads. Default 3. */
  readonly minibatch?: number | undefined;
  /** The maximum number of merges. Default 5. */
  readonly merges?: number | undefined;
  /** The number of successive proposals without an improvement after which the search ends. Default 20. */
  readonly patience?: number | undefined;
  readonly seed?: number | undefined;
  /** The results of an interrupted optimization with the same options. Default: none. */
  readonly journal?: Journal | undefined;
  readonly onEvent?: ((event: OptimizeEvent) => void) | undefined;
}

/** The result of an optimization. */
export interface OptimizeResult {
  readonly environment: string;
  readonly best: Candidate;
  /** In the order of discovery. */
  readonly candidates: readonly Candidate[];
  /** The proposals that did not improve their minibatch. */
  readonly rejected: number;
  readonly heldOut: HeldOut;
  readonly rollouts: number;
  readonly reflections: number;
  /** The cost; `undefined` without prices. */
  readonly cost: number | undefined;
}
