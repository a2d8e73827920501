import type { EpisodeHost } from "./host/host.ts";
import type { Intake } from "./intake.ts";
import type { ServedTools } from "./served-tools.ts";
import type { Sessions } from "./sessions.ts";

/** An environment as the protocols see it. */
export interface Served {
  readonly host: EpisodeHost;
  readonly tools: ServedTools;
}

/** What every protocol is given. */
export interface ServeContext {
  /** By name. */
  readonly environments: ReadonlyMap<string, Served>;
  /** Whom a request means that names no environment: the first. */
  readonly first: Served;
  readonly sessions: Sessions;
  readonly intake: Intake;
}
