import type { EpisodeView, StartedEpisode } from "@envs/bundle";
import type { AssistantMessage } from "@envs/core";

/** The config, example and seed that determine an episode. */
export interface EpisodeChoice {
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly split?: string | undefined;
  /** The index of the example. */
  readonly example: number;
  /** The seats whose replies are sent, the one that is shown first. Empty without seats. */
  readonly seats: readonly string[];
}

/** One environment, in the page or on a server. It plays one episode at a time. */
export interface PlaySession {
  /** Ends the current episode and starts another. */
  start(choice: EpisodeChoice): Promise<StartedEpisode>;
  respond(reply: string | AssistantMessage): Promise<EpisodeView>;
  /** The reply of a policy, as a hint. Absent where the server does not ask policies. */
  advise?(policy: string): Promise<AssistantMessage>;
  close(): void;
}

/** A failure that the player reads. After `isLost`, the episode no longer exists. */
export class PlayError extends Error {
  override readonly name = "PlayError";
  readonly isLost: boolean;

  constructor(message: string, { isLost = false } = {}) {
    super(message);
    this.isLost = isLost;
  }
}
