import { assistantMessage, type AssistantMessage, type Message } from "@envs/core";
import { type AgentCall, omitUndefined, type ToolSpec } from "@envs/core/engine";

import { callSettingsOf, callSettingsRow, type CallSettingsRow } from "./call-settings.ts";
import { fieldsOf, numberOf, textOf } from "./json.ts";
import { conversationTo } from "./message-graph.ts";
import { type MessageNode, MessageTree } from "./message-tree.ts";
import { modelCallOf, modelCallRow, type ModelCallRow } from "./model-call.ts";
import { readMessage, readReply, readSentMessages, readToolSpecs } from "./read-message.ts";

/**
 * A model call of an agent. Its messages repeat those of earlier calls, so that a row has each once: messages are numbered in
 * the order of the row, from 0, first those of the conversation, then those that calls add.
 */
export interface AgentCallRow extends ModelCallRow, CallSettingsRow {
  readonly dialect: string;
  readonly requested_model: string;
  /** Whether a helper answered, not the model that plays. Absent if not. */
  readonly is_helper?: boolean | null | undefined;
  /** The number of the message that the call's own messages follow; `null` if they begin a conversation. */
  readonly after: number | null;
  /** What the call adds to that conversation. */
  readonly messages: readonly Message[];
  readonly reply: number;
  /** Omitted if another call, or the conversation, has the reply already. */
  readonly message?: Message | undefined;
  /** Why the reply is incomplete. Omitted if it is complete. */
  readonly error?: string | null | undefined;
  /** Omitted if the call before this one has the same tools. */
  readonly tool_defs?: readonly ToolSpec[] | null | undefined;
}

/** Writes the calls of a rollout, turn by turn. */
export class AgentCallWriter {
  readonly #tree = new MessageTree();
  #tools: string | undefined;

  /** `conversation`: the messages of the row. */
  constructor(conversation: readonly Message[]) {
    // The messages as a reader restores them. A call with other messages stores its own.
    this.#tree.add(conversation.map((message) => readMessage(message, "user")));
  }

  row(call: AgentCall): AgentCallRow {
    const { dialect, requestedModel, isHelper, messages, message, error } = call;
    const { length, node = null } = this.#tree.find(messages);
    const last = this.#tree.add(messages);
    const before = this.#tree.nodes.length;
    const reply = this.#tree.add([message], last)!;
    const tools = JSON.stringify(call.tools ?? null);
    const isSame = this.#tools === tools;
    this.#tools = tools;
    return {
      dialect,
      requested_model: requestedModel,
      ...omitUndefined({ is_helper: isHelper }),
      ...callSettingsRow(call),
      after: node,
      messages: messages.slice(length),
      reply,
      ...(reply === before && { message }),
      ...modelCallRow(call),
      ...omitUndefined({ error }),
      ...(isSame ? {} : { tool_defs: call.tools ?? null }),
    };
  }
}

/** Reads the calls of a rollout, turn by turn. A number without a message ends the conversation that it names. */
export class AgentCallReader {
  readonly #nodes: MessageNode[] = [];
  #tools: readonly ToolSpec[] | undefined;

  /** `conversation`: the messages of the row. */
  constructor(conversation: readonly Message[]) {
    this.#add(conversation, undefined);
  }

  call(value: unknown): AgentCall {
    const row = fieldsOf(value);
    if (row["tool_defs"] !== undefined) this.#tools = readToolSpecs(row["tool_defs"]);
    const after = numberOf(row["after"]);
    const known = after === undefined || after >= this.#nodes.length ? undefined : after;
    const last = this.#add(readSentMessages(row["messages"]), known);
    if (row["message"] !== undefined) this.#add([readReply(row["message"])], last);
    const reply = this.#nodes[numberOf(row["reply"]) ?? -1]?.message;
    return {
      dialect: textOf(row["dialect"]) ?? "",
      requestedModel: textOf(row["requested_model"]) ?? "model",
      ...(row["is_helper"] === true && { isHelper: true }),
      ...callSettingsOf(row),
      messages: conversationTo({ nodes: this.#nodes }, last),
      message: (reply ?? assistantMessage("")) as AssistantMessage,
      ...modelCallOf(row),
      ...omitUndefined({ error: textOf(row["error"]), tools: this.#tools }),
    };
  }

  #add(messages: readonly Message[], after: number | undefined): number | undefined {
    let parent = after;
    for (const message of messages) parent = this.#nodes.push({ parent, message }) - 1;
    return parent;
  }
}
