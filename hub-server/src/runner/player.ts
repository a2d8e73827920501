import type { Model } from "@envs/core";
import type { EnvironmentManifest, Run } from "@envs/hub-client";

/** The user who requests a play. */
export interface Requester {
  readonly id: number;
  readonly name: string;
}

/** A model that the hub can play with. */
export interface Player {
  /** The maximum number of rollouts at once. */
  readonly concurrency: number;
  readonly price: Run["recipe"]["price"];
  /** Starts the model for a user; the caller disposes of it. */
  readonly start: (options: {
    readonly requester: Requester;
    readonly signal: AbortSignal;
  }) => Promise<Disposable & { readonly model: Model }>;
}

/** What a player must fit to. */
export interface PlayNeeds {
  readonly run: Run;
  readonly manifest: EnvironmentManifest;
  readonly rollouts: number;
  /** Undefined for readers who are not logged in. */
  readonly requester: Pick<Requester, "name"> | undefined;
}
