import type { Sampling, Seed } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";

import type { AgentTools } from "./agent/agent-tools.ts";
import type { SessionLimits } from "./limits.ts";
import type { SessionModels } from "./routing.ts";

export interface SessionOptions extends SessionLimits, SessionModels {
  /** Overrides the agent's sampling options for `model`. An option that is absent here is the agent's. */
  readonly sampling?: Sampling | undefined;
  /** The seed of local models. Each call draws its own from it. Default 0. */
  readonly seed?: Seed | undefined;
  /** Names the rollout for the model: see `ModelRequest`. */
  readonly session?: string | undefined;
  /** Ends the session when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Returns the tools that MCP clients receive. Default: none. */
  readonly tools?: (() => AgentTools) | undefined;
  /** Records a call, also one that failed or was cancelled. The agent receives the reply after this function returns. */
  readonly onCall?: ((call: AgentCall) => void | Promise<void>) | undefined;
}
