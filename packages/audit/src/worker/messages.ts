import type { ModelRequest, ModelResponse } from "@envs/core";

import type { Conversation } from "../conversation.ts";
import type { RuleOutcome } from "../rule.ts";

/** The state that the process of an audit prepares. */
export interface Preparation {
  readonly module: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly split: string | undefined;
  readonly examples: number | undefined;
  readonly hasJudge: boolean;
}

/** From the command to the process. */
export type Order =
  | { readonly type: "prepare"; readonly preparation: Preparation }
  | { readonly type: "check"; readonly rule: string }
  | { readonly type: "abort" }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly response?: ModelResponse | undefined;
      readonly problem?: string | undefined;
    };

/** From the process to the command. */
export type Notice =
  | { readonly type: "prepared"; readonly environment: string; readonly examples: number }
  | { readonly type: "unprepared"; readonly problem: string }
  | { readonly type: "outcome"; readonly outcome: RuleOutcome }
  | { readonly type: "turn"; readonly conversation: Conversation }
  | {
      readonly type: "question";
      readonly id: number;
      readonly request: Omit<ModelRequest, "signal" | "askPolicy">;
    };
