import { quote, ServeError } from "./errors.ts";
import type { EpisodeHost } from "./host/episode-host.ts";
import type { IncomingBytes } from "./http/incoming-bytes.ts";
import type { ServerStatus } from "./http/status-routes.ts";
import type { ServedTools } from "./served-tools.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** An environment as the protocols see it. */
export interface ServedEnvironment {
  readonly host: EpisodeHost;
  /** The tools of sessions, unless each episode has its own. */
  readonly tools: ServedTools;
  /** How many rollouts of an example a trainer samples. Defined if the rubric compares them. */
  readonly groupSize?: number | undefined;
}

/** The services that the routes of all protocols share. */
export interface ServeContext {
  /** By name. */
  readonly environments: ReadonlyMap<string, ServedEnvironment>;
  /** The first environment, which answers requests that do not name one. */
  readonly first: ServedEnvironment;
  readonly sessions: Sessions;
  readonly incomingBytes: IncomingBytes;
  readonly status: () => ServerStatus;
}

/** Finds environments by name, ignoring case. */
export class EnvironmentNames {
  readonly #names: readonly string[];
  readonly #byLowerCaseName: ReadonlyMap<string, ServedEnvironment>;

  constructor(environments: ReadonlyMap<string, ServedEnvironment>) {
    this.#names = [...environments.keys()];
    this.#byLowerCaseName = new Map(
      [...environments].map(([name, environment]) => [name.toLowerCase(), environment]),
    );
  }

  find(name: string): ServedEnvironment | undefined {
    return this.#byLowerCaseName.get(name.toLowerCase());
  }

  /** Throws a {@link ServeError} of code `unknown-environment`. */
  get(name: string): ServedEnvironment {
    const environment = this.find(name);
    if (environment !== undefined) return environment;
    throw new ServeError(
      "unknown-environment",
      `There is no environment named ${quote(name)}. Use one of: ${this.#names.join(", ")}.`,
    );
  }
}
