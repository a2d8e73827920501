import type { ModelRequest, ModelResponse } from "@envs/core";

import type { ServerContext } from "../http/server-error.ts";
import type { ServerOptions, WireServer } from "./server-target.ts";

/** The fields of a request's body. Those that are `undefined` are not sent. */
export type WireBody = Readonly<Record<string, unknown>>;

/** The place of an event in a streamed reply. `internal`: the client has not requested it. `error`: the server failed. */
export type EventPlace = "reply" | "end" | "internal" | "error";

/** Joins the events of a streamed reply to the reply that they are parts of. */
export interface StreamJoiner {
  /** Reads the data of an event; `undefined` for data that is not JSON. */
  readonly add: (data: unknown) => EventPlace;
  /** Whether the reply has reached its end. */
  readonly isComplete: () => boolean;
  /** The reply as the server would send it without a stream; before its end, as one that reached its token limit. */
  readonly whole: () => unknown;
}

/** The wire format of a provider, as a client of its servers writes requests and reads replies. */
export interface Wire<Options extends ServerOptions = ServerOptions> {
  /** The name of the format in relayed calls. */
  readonly dialect: string;
  readonly server: WireServer;
  /** The path of a call below the base URL, and its query. */
  readonly path: (name: string, call: { readonly isStream: boolean }) => string;
  /** The body of a request that asks for no stream. */
  readonly body: (name: string, request: ModelRequest, options: Options) => WireBody;
  /** Fields whose fields are merged when a body is extended, instead of replaced. */
  readonly nestedFields: readonly string[];
  /** Fields that the client decides: a relayed body keeps its own fields of these names. */
  readonly clientFields: readonly string[];
  /** Fields of the client for which `body` may have another name. */
  readonly replacedFields?: readonly string[] | undefined;
  /** The fields that make a relayed body ask for a stream. */
  readonly streamFields: (sent: WireBody) => WireBody;
  /** Whether `body` rewrites the messages, so that the server would receive others from a relayed body. Default: never. */
  readonly isRewritten?: ((request: ModelRequest, options: Options) => boolean) | undefined;
  /** Reads a whole reply. Throws a `ServerError` if it is invalid, incomplete, or contains an error. */
  readonly read: (reply: unknown, request: ModelRequest, context: ServerContext) => ModelResponse;
  /** Joins the streamed reply to a relayed body. */
  readonly join: (sent: WireBody) => StreamJoiner;
  /** Another kind of call that the same servers answer. Default: none. */
  readonly other?: OtherRoute<Options> | undefined;
}

/** A kind of call that is only relayed, and never streamed. */
export type OtherRoute<Options extends ServerOptions> = Pick<
  Wire<Options>,
  "dialect" | "path" | "body" | "clientFields" | "read"
>;
