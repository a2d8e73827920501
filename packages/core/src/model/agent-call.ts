import type { AssistantMessage, Message } from "../message/message.ts";
import type { FinishReason, TokenTrace, ToolSpec, Usage } from "./model.ts";
import type { Span } from "./span.ts";

/** A model call that an agent made before it replied. Turns and records keep it. */
export interface AgentCall {
  /** The provider whose format the agent spoke, such as `messages` of Anthropic. */
  readonly dialect: string;
  /** The name of the model that the agent asked for. The run's model answered, whatever its name. */
  readonly requestedModel: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage: Usage | undefined;
  /** The exact tokens, if the model reports them. */
  readonly tokens: TokenTrace | undefined;
  /** When the model was asked, and when it had replied. */
  readonly model: Span;
}
