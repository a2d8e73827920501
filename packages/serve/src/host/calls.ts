import type { AssistantMessage, Seed } from "@envs/core";

import type { Thrown } from "./border.ts";
import type { StepOptions } from "./host.ts";
import type { EnvironmentReference } from "./reference.ts";
import type { Place, Task } from "./task.ts";

/** What a thread is started with. */
export interface ThreadPlan {
  readonly references: readonly EnvironmentReference[];
  /** In which order the examples of endless datasets come. */
  readonly seed: number;
}

/** What is asked of a thread. `environment` is the place of its reference. */
export type Call =
  | { readonly method: "cards" }
  | { readonly method: "task"; readonly environment: number; readonly place: Place }
  | {
      readonly method: "open";
      readonly environment: number;
      readonly id: string;
      readonly task: Task;
      readonly seed: Seed;
    }
  | {
      readonly method: "step";
      readonly environment: number;
      readonly id: string;
      readonly message: AssistantMessage;
      readonly options: StepOptions | undefined;
    }
  | { readonly method: "finish" | "close"; readonly environment: number; readonly id: string };

/** A call on its way. */
export interface Request {
  readonly request: number;
  readonly call: Call;
}

/** What comes back: a result, unless there is none, or what was thrown. */
export type Answer =
  | { readonly request: number; readonly result?: unknown }
  | { readonly request: number; readonly error: Thrown };
