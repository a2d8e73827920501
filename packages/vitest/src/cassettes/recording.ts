import type { Message, Model, ModelResponse, Sampling } from "@envs/core";
import type { ReplyFormat, ToolChoice, ToolSpec } from "@envs/core/engine";

/** The part of a request in a recording: all fields that affect the reply of a model, except the seed. */
export interface RecordedRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly format?: ReplyFormat | undefined;
  readonly sampling?: Sampling | undefined;
  /** The other fields of the call as an agent has made it, such as its model and its effort. */
  readonly call?: Readonly<Record<string, unknown>> | undefined;
}

/** One call of a model. */
export interface Recording {
  readonly model: string;
  readonly settings?: Model["settings"];
  /** A hash of the model's code, if it is a function of the test's author. */
  readonly code?: string | undefined;
  /** The key of the example. Omitted for questions of the environment, such as to judges. */
  readonly example?: string | undefined;
  /** The number of the rollout within its group: trials of the same request have their own replies. */
  readonly trial: number;
  /** The seed of the request. Examples that begin alike have their own replies by it. Omitted in older files. */
  readonly seed?: number | undefined;
  readonly request: RecordedRequest;
  /** The response without token ids, which only trainers read, and without the server's report, which a replay does not have. */
  readonly response: Omit<ModelResponse, "tokens" | "server">;
}
