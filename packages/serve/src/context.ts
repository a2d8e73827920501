import type { EpisodeHost } from "./host/episode-host.ts";
import type { IncomingBytes } from "./http/incoming-bytes.ts";
import type { ServedTools } from "./served-tools.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** An environment as the protocols see it. */
export interface ServedEnvironment {
  readonly host: EpisodeHost;
  readonly tools: ServedTools;
}

/** What the routes of all protocols share. */
export interface ServeContext {
  /** By name. */
  readonly environments: ReadonlyMap<string, ServedEnvironment>;
  /** The first environment, which answers requests that do not name one. */
  readonly first: ServedEnvironment;
  readonly sessions: Sessions;
  readonly incomingBytes: IncomingBytes;
}
