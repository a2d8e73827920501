import { createParser } from "eventsource-parser";

import { parseJson } from "../json.ts";
import type { ModelRequest } from "../model.ts";
import type { RelayedCall } from "../relay.ts";
import type { OpenAIOptions } from "./chat-request.ts";
import { relayedBody } from "./relayed-chat.ts";
import { type ServerContext, ServerError } from "./server-error.ts";

interface ToolCallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** A part of a streamed chat completion. Other servers than OpenAI add reasoning and token ids. */
interface Chunk {
  readonly choices?: readonly {
    readonly index?: number;
    readonly delta?: Readonly<Record<string, unknown>> & {
      readonly tool_calls?: readonly ToolCallDelta[] | null;
    };
    readonly finish_reason?: string | null;
    readonly logprobs?: { readonly content?: readonly unknown[] | null } | null;
    readonly token_ids?: readonly number[] | null;
  }[];
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly prompt_token_ids?: readonly number[] | null;
}

/** The events of a streamed chat completion: passes them on, and joins them to the completion that they are parts of. */
export class ChatChunks {
  /** Whether the server has sent a part of a stream. */
  hasBegun = false;
  /** Whether the client has received something, so that the call cannot be made again. */
  hasWritten = false;
  readonly #relay: RelayedCall;
  readonly #parser: ReturnType<typeof createParser>;
  /** Only some clients ask for the event of the token counts, and others may not expect it. */
  readonly #wantsUsage: boolean;
  readonly #texts: Record<string, string> = {};
  readonly #toolCalls: { id?: string; function: { name: string; arguments: string } }[] = [];
  readonly #logprobs: unknown[] = [];
  readonly #tokenIds: number[] = [];
  #promptIds: readonly number[] | undefined;
  #finish: string | undefined;
  #usage: unknown;
  #error: unknown;

  constructor(relay: RelayedCall) {
    this.#relay = relay;
    const { stream_options: asked } = relay.body as {
      readonly stream_options?: { readonly include_usage?: boolean } | null;
    };
    this.#wantsUsage = asked?.include_usage === true;
    this.#parser = createParser({ onEvent: ({ data }) => this.#receive(data) });
  }

  /** Reads the next text of the stream. */
  readonly feed = (text: string): void => {
    this.hasBegun = true;
    this.#parser.feed(text);
  };

  /** The body of the request: the client's, with the fields that this package sets. */
  body(
    name: string,
    request: ModelRequest,
    options: OpenAIOptions,
  ): Readonly<Record<string, unknown>> {
    return relayedBody(name, request, this.#relay, options);
  }

  /** The whole completion, as a server without streams would send it. Throws a `ServerError` for a stream that broke off. */
  completion({ server }: Pick<ServerContext, "server">): unknown {
    if (this.#error !== undefined) return { error: this.#error };
    if (this.#finish === undefined)
      throw new ServerError(
        this.hasWritten ? "permanent" : "transient",
        `The stream of ${server} ended before the reply did.`,
      );
    const calls = this.#toolCalls.filter((call) => call !== undefined);
    return {
      choices: [
        {
          index: 0,
          message: { ...this.#texts, ...(calls.length > 0 && { tool_calls: calls }) },
          finish_reason: this.#finish,
          ...(this.#logprobs.length > 0 && { logprobs: { content: this.#logprobs } }),
          ...(this.#tokenIds.length > 0 && { token_ids: this.#tokenIds }),
        },
      ],
      usage: this.#usage,
      prompt_token_ids: this.#promptIds,
    };
  }

  #receive(data: string): void {
    const chunk = parseJson(data) as Chunk | undefined;
    if (chunk?.error) {
      // The caller reports it in its own words.
      this.#error = chunk.error;
      return;
    }
    if (chunk !== undefined) this.#join(chunk);
    if (chunk?.choices?.length === 0 && !this.#wantsUsage) return;
    const isEnd = this.#finish !== undefined || chunk === undefined;
    this.hasWritten ||= !isEnd;
    this.#relay.write(`data: ${data}\n\n`, isEnd);
  }

  #join({ choices = [], usage, prompt_token_ids: promptIds }: Chunk): void {
    this.#usage = usage ?? this.#usage;
    this.#promptIds ??= promptIds ?? undefined;
    const choice = choices.find(({ index = 0 }) => index === 0);
    if (choice === undefined) return;
    const { delta = {}, finish_reason: finish, logprobs, token_ids: ids } = choice;
    for (const [name, value] of Object.entries(delta))
      if (typeof value === "string" && name !== "role")
        this.#texts[name] = (this.#texts[name] ?? "") + value;
    for (const call of delta.tool_calls ?? []) this.#joinCall(call);
    this.#logprobs.push(...(logprobs?.content ?? []));
    this.#tokenIds.push(...(ids ?? []));
    this.#finish = finish ?? this.#finish;
  }

  #joinCall({ index = 0, id, function: called = {} }: ToolCallDelta): void {
    const call = (this.#toolCalls[index] ??= { function: { name: "", arguments: "" } });
    if (id) call.id = id;
    call.function.name += called.name ?? "";
    call.function.arguments += called.arguments ?? "";
  }
}
