import type { AssistantMessage } from "@envs/core";
import type { ScoreDescription, ToolSpec } from "@envs/core/engine";
import type { EpisodeView, StartedEpisode } from "@envs/records/bundle";

import type { JsonSchema } from "./schema-field.ts";

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

/** Published code, which runs in a sandboxed frame of the page. */
export interface BundleSource {
  readonly kind: "bundle";
  /** The URL of the code. */
  readonly codeUrl: string;
  /** The hexadecimal hash that the code must have. */
  readonly sha256: string;
  /** The page of the sandboxed frame. */
  readonly frameUrl: string;
}

/** Episodes that run on a server, over OpenEnv's WebSocket. */
export interface ServerSource {
  readonly kind: "server";
  /** The path of the socket. */
  readonly socketPath: string;
  /** The tool that sends text, where the environment has tools. */
  readonly textTool?: string | undefined;
}

/** A tiny model that can play in the page. */
export interface TinyPlayer {
  readonly name: string;
  /** The URL of the weights. */
  readonly url: string;
  /** The script of the worker that runs it. */
  readonly scriptUrl: string;
}

/** A seat that a person can take. */
export interface PlayerSeat {
  readonly name: string;
  /** Instructions for the person. */
  readonly description?: string | undefined;
  /** The policy that plays the seat where no other player does. */
  readonly policy?: string | undefined;
}

/** The facts about an environment that the player has before it runs. JSON. */
export interface PlayerProps {
  readonly name: string;
  readonly source: BundleSource | ServerSource;
  readonly scores: readonly ScoreDescription[];
  readonly splits: readonly { readonly name: string | null; readonly size: number | null }[];
  readonly tools: readonly ToolSpec[];
  readonly maxTurns: number;
  /** The names of the policies, the best first. */
  readonly policies: readonly string[];
  /** In the order of the definition; empty without seats. */
  readonly seats: readonly PlayerSeat[];
  /** The JSON Schema of the config. Empty where the config cannot be changed. */
  readonly config: JsonSchema;
  readonly models: readonly TinyPlayer[];
}

export type { ScoreDescription, ToolSpec };
