import type { AgentCall } from "../agent-call.ts";
import { canonicalJson, omitUndefined } from "../json.ts";
import type { AssistantMessage, Message } from "../message.ts";
import type { ToolSpec } from "../model.ts";
import { modelCallOf, modelCallRow, type ModelCallRow } from "./model-call.ts";

/**
 * A model call of an agent. Calls of a conversation repeat it, so that a row has only the messages that follow those of an
 * earlier call of the rollout, its reply included.
 */
export interface AgentCallRow extends ModelCallRow {
  readonly dialect: string;
  readonly requested_model: string;
  /** The position of the earlier call among those of the rollout; `null` if this call shares nothing. */
  readonly parent: number | null;
  /** How many messages of that call, and its reply, this call begins with. */
  readonly shared: number;
  readonly messages: readonly Message[];
  readonly message: Message;
  /** Omitted if they are those of the call before this one. */
  readonly tool_defs?: readonly ToolSpec[] | null | undefined;
}

/** Writes the calls of a rollout, turn by turn. */
export class AgentCallWriter {
  /** The messages of each call, with its reply, as numbers: the same for equal messages. */
  readonly #conversations: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  #tools: string | undefined;

  row(call: AgentCall): AgentCallRow {
    const { dialect, requestedModel, messages, message } = call;
    const numbers = messages.map((each) => this.#numberOf(each));
    let parent: number | null = null;
    let shared = 0;
    for (const [index, earlier] of this.#conversations.entries()) {
      const length = commonLength(numbers, earlier);
      if (length <= shared) continue;
      shared = length;
      parent = index;
    }
    this.#conversations.push([...numbers, this.#numberOf(message)]);
    const tools = JSON.stringify(call.tools ?? null);
    const isSame = this.#tools === tools;
    this.#tools = tools;
    return {
      dialect,
      requested_model: requestedModel,
      parent,
      shared,
      messages: messages.slice(shared),
      message,
      ...modelCallRow(call),
      ...(isSame ? {} : { tool_defs: call.tools ?? null }),
    };
  }

  #numberOf(message: Message): number {
    const text = canonicalJson(message);
    const known = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, known);
    return known;
  }
}

function commonLength(left: readonly number[], right: readonly number[]): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}

/** Reads the calls of a rollout, turn by turn. */
export class AgentCallReader {
  readonly #read: AgentCall[] = [];

  call(row: AgentCallRow): AgentCall {
    const parent = row.parent === null ? undefined : this.#read[row.parent];
    const earlier = parent === undefined ? [] : [...parent.messages, parent.message];
    const tools =
      row.tool_defs === undefined ? this.#read.at(-1)?.tools : (row.tool_defs ?? undefined);
    const call: AgentCall = {
      dialect: row.dialect,
      requestedModel: row.requested_model,
      messages: [...earlier.slice(0, row.shared), ...row.messages],
      message: row.message as AssistantMessage,
      ...modelCallOf(row),
      ...omitUndefined({ tools }),
    };
    this.#read.push(call);
    return call;
  }
}
