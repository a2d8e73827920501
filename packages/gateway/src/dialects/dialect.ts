import type { IncomingHttpHeaders } from "node:http";

import type { ModelRequest, ModelResponse } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import type { HttpError, HttpReply } from "@envs/models/server";

/** The wire formats of model providers that agents speak. */
export type DialectName = "chat" | "responses" | "messages" | "gemini";

/** The part of a model's input that an agent decides. */
export type AgentInput = Pick<
  ModelRequest,
  "messages" | "tools" | "toolChoice" | "format" | "sampling" | "seed"
>;

/** The fields of a reply that do not come from the model. */
export interface ReplyContext {
  /** Unique among the calls of all sessions. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A request for the model's next message, read from its wire format. */
export interface DecodedCall {
  /** The name of the model that the agent asked for. */
  readonly model: string;
  readonly isStream: boolean;
  /** Whether a server of the same dialect would understand the request by itself. Default true. */
  readonly isRelayable?: boolean | undefined;
  readonly input: AgentInput;
  /** The effort of reasoning that the agent asks for. Only relayed calls pass it on. */
  readonly effort?: AgentCall["effort"];
  /** Writes the model's response: one object, or the events of a stream. */
  readonly encode: (response: ModelResponse, context: ReplyContext) => HttpReply;
  /** Receives the reply of a server of the same dialect, which reaches the agent as it is. */
  readonly onRelayed?: ((reply: unknown) => void) | undefined;
}

/** State that the requests of one session share: dialects with references to earlier output keep it here. */
export type SessionMemory = Map<string, unknown>;

/** A request after routing. */
export interface DialectRequest {
  /** The path below the version, such as `/chat/completions`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed body. */
  readonly json: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly memory: SessionMemory;
}

/** One provider's wire format. */
export interface Dialect {
  readonly name: DialectName | "embeddings";
  /** The headers that change what the provider accepts: a relayed call has them. Default: none. */
  readonly relayedHeaders?: readonly string[] | undefined;
  /** The kind of request of a path in this dialect; `other` if it is not served, `undefined` for paths of other dialects. */
  readonly match: (path: string) => "call" | "count" | "other" | undefined;
  /** Reads a call. Throws an `HttpError` 400 that lists the invalid fields. */
  readonly decode: (request: DialectRequest) => DecodedCall;
  /** Writes the response to a request that counts the tokens of a call. Absent in dialects without one. */
  readonly encodeCount?: (tokens: number) => HttpReply;
  readonly encodeError: (error: HttpError) => HttpReply;
  /** The event that reports an error after the stream has begun. */
  readonly errorEvent: (error: HttpError) => string;
}
