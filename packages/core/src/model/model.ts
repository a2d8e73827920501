import { ConfigError } from "../errors.ts";
import type { MediaKind } from "../message/content.ts";
import type { AssistantMessage, Message } from "../message/message.ts";
import type { Span } from "./clock.ts";
import type { TokenTrace, Usage } from "./usage.ts";
import type { WorkspaceFiles } from "./workspace-files.ts";

/** How a model samples. An option that is `undefined` is left to the model. */
export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** The maximum length of one reply, in tokens. */
  readonly maxTokens?: number | undefined;
  /** Texts that end a reply. The reply does not contain them. */
  readonly stop?: readonly string[] | undefined;
}

/** Returns `base` with the options that `overrides` sets. An `undefined` override keeps the base. */
export function mergeSampling(base: Sampling = {}, overrides: Sampling = {}): Sampling {
  return {
    temperature: overrides.temperature ?? base.temperature,
    topP: overrides.topP ?? base.topP,
    maxTokens: overrides.maxTokens ?? base.maxTokens,
    stop: overrides.stop ?? base.stop,
  };
}

/** A tool as the model sees it. `parameters` is JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Whether the model must call a tool. Default `auto`: it decides. A name: it must call this tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** The form of a reply: any JSON, or JSON that matches a JSON Schema. */
export type ReplyFormat =
  | { readonly type: "json" }
  | {
      readonly type: "schema";
      readonly name: string;
      readonly schema: Readonly<Record<string, unknown>>;
    };

/** Asks one of the environment's policies for its next message. */
export type AskPolicy = (name: string, parameter?: number) => Promise<AssistantMessage>;

/** The input of a model. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  /** Only agents set it. Models that cannot be forced to call a tool ignore it. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Only agents set it. Models without constrained decoding ignore it. Default: text. */
  readonly format?: ReplyFormat | undefined;
  readonly sampling?: Sampling | undefined;
  /** The seed that a local model samples with. It is derived from the run's seed, for each turn of each rollout. */
  readonly seed?: number | undefined;
  /** Names the conversation, which the turns of a rollout share: of several servers, the one that has cached it answers. */
  readonly session?: string | undefined;
  readonly signal: AbortSignal;
  /** Returns the files that the environment offers an agent program. Models ignore it. */
  readonly workspace?: (() => Promise<WorkspaceFiles>) | undefined;
  /** Receives each model call of an agent once it is answered, so that calls of a failed turn are recorded. Models ignore it. */
  readonly onCall?: ((call: AgentCall) => void) | undefined;
  /** The call of a client that the request was read from. */
  readonly relay?: RelayedCall | undefined;
  /** Gives `policy()` access to the environment's policies. Language models ignore it. */
  readonly askPolicy?: AskPolicy | undefined;
}

/** Why a reply ended. `length`: it reached its token limit. `content_filter`: the provider cut it, or the model refused. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** The report of a model's server: its HTTP status, the model that replied, such as a dated version, and the id of the reply. */
export interface ServerReport {
  readonly status?: number | undefined;
  readonly model?: string | undefined;
  readonly responseId?: string | undefined;
}

/** The output of a model. */
export interface ModelResponse {
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  /** Omitted if the server does not report it: unknown is not 0. */
  readonly usage?: Usage | undefined;
  /** The exact tokens, if the model reports them. */
  readonly tokens?: TokenTrace | undefined;
  /** Only models on servers have it. */
  readonly server?: ServerReport | undefined;
  /** The model calls that led to the message. Only agents have them. */
  readonly calls?: readonly AgentCall[] | undefined;
  /** What an agent did besides its calls, in order: `kind` is a word such as `permission`. Only agents have it. */
  readonly activity?: readonly { readonly kind: string; readonly text: string }[] | undefined;
}

/** A reply in a record, which has `undefined` for what the model does not report. */
export type Reply = Pick<ModelResponse, "message" | "finish" | "calls"> &
  Required<Pick<ModelResponse, "usage" | "tokens">>;

/** Throws a `ConfigError` for a model that is not a function, or that cannot play the environment. */
export function checkModel(model: Model, environment: ModelCheck): void {
  const given: unknown = model;
  if (typeof given === "function") return model.check?.(environment);
  const shown = typeof given === "string" ? JSON.stringify(given) : String(given);
  throw new ConfigError(
    `The model is ${shown}, not a function. Pass a model such as openai("gpt-5"), aiSdk(…), policy("optimal"), or your own function from a request to a response.`,
  );
}

/** Validates the output of a model, because callers may pass any function. */
export function checkResponse(response: Partial<ModelResponse> | undefined): ModelResponse {
  if (typeof response?.message?.content === "string") return response as ModelResponse;
  throw new TypeError("The response has no message with a text as its content.");
}

/** The facts about an environment that a model can check before it plays. */
export interface ModelCheck {
  readonly name: string;
  readonly policies: readonly string[];
  /** What the environment's messages may contain besides text. */
  readonly media: readonly MediaKind[];
}

/** A model is a function from a conversation to its next message. */
export interface Model {
  (request: ModelRequest): Promise<ModelResponse>;
  /** The model's name in records and tables. */
  readonly id?: string | undefined;
  /** The addresses of its servers, by which its price is found. Only models that know theirs have it. */
  readonly baseURLs?: (() => readonly string[]) | undefined;
  /** The settings that decide its replies, without keys and addresses: a recording of other settings is not its reply. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Throws a `ConfigError` if this model cannot play the environment. Called once, before the first rollout. */
  readonly check?: ((environment: ModelCheck) => void) | undefined;
  /** The models that an agent asks by name, beside the one that plays. */
  readonly helpers?: Readonly<Record<string, Model>> | undefined;
  /** Returns this agent with other models around those that answer its calls. Only agents have it. */
  readonly wrapModel?: ((wrap: (model: Model) => Model) => Model) | undefined;
}

/**
 * A model call that an agent made before it replied: also one that failed or was cancelled, whose `message` is what was received,
 * with the finish reason `length`. Turns and records keep it. `sampling` is the agent's, as the run overrides it.
 */
export interface AgentCall
  extends Pick<ModelRequest, "messages" | "tools" | "sampling">, Omit<Reply, "calls"> {
  /** The provider whose format the agent spoke, such as `messages` of Anthropic. */
  readonly dialect: string;
  /** The name of the model that the agent asked for. */
  readonly requestedModel: string;
  /** Whether a helper answered: a model that the agent asks beside the one that plays. Omitted for the model that plays. */
  readonly isHelper?: boolean | undefined;
  /** The effort of reasoning that the agent asked for: a word of its provider, or the number of tokens to think with. */
  readonly effort?: string | number | undefined;
  /** Why the reply is incomplete: the client disconnected, the rollout ended, or the model failed. Omitted if it is complete. */
  readonly error?: string | undefined;
  readonly server?: ServerReport | undefined;
  /** When the model was asked, and when it had replied. */
  readonly model: Span;
}

/**
 * A call that a client has made in the wire format of its provider. A model whose server has the same format may pass the call
 * on as it is, and the reply back: the events of a stream as they come. Other models ignore it.
 */
export interface RelayedCall {
  /** The wire format: `chat` for OpenAI's chat completions. */
  readonly dialect: string;
  /** Whether a server with this wire format would understand the body by itself. */
  readonly isComplete: boolean;
  readonly isStream: boolean;
  /** The client's headers that change what the server accepts, such as `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The JSON body of the request, and the bytes of its fields as the client has sent them, where they are known. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly fields: ReadonlyMap<string, Uint8Array<ArrayBuffer>> | undefined;
  /** The values that were read from the body. A request that has other values now was changed, and its body is not passed on. */
  readonly read: Pick<ModelRequest, "messages" | "tools" | "toolChoice" | "format">;
  /**
   * Passes an event on, or the whole reply. `isEnd`: the event belongs to the end of the reply, which must be recorded before the
   * client receives it.
   */
  readonly write: (text: string, isEnd: boolean) => void;
  /** Receives a function that reads the part of a streamed reply that has arrived, with the usage until then. */
  readonly onStream?: ((received: () => ModelResponse | undefined) => void) | undefined;
  /** Receives the reply that was passed on, as an object of the wire format. */
  readonly onReply?: ((reply: unknown) => void) | undefined;
}
