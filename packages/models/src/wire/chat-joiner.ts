import type { EventPlace, StreamJoiner, WireBody } from "./wire.ts";

interface ToolCallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** A part of a streamed chat completion. Other servers than OpenAI add reasoning and token ids. */
interface Chunk {
  readonly id?: string;
  readonly model?: string;
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

/** Joins the chunks of a streamed chat completion. */
export function chatJoiner(sent: WireBody): StreamJoiner {
  const { stream_options: asked } = sent as {
    readonly stream_options?: { readonly include_usage?: boolean } | null;
  };
  return new ChatJoiner(asked?.include_usage === true);
}

class ChatJoiner implements StreamJoiner {
  /** Whether the client requested the event of the token counts, which other clients may not expect. */
  readonly #wantsUsage: boolean;
  readonly #texts: Record<string, string> = {};
  readonly #toolCalls: { id?: string; function: { name: string; arguments: string } }[] = [];
  readonly #logprobs: unknown[] = [];
  readonly #tokenIds: number[] = [];
  #promptIds: readonly number[] | undefined;
  #finish: string | undefined;
  #usage: unknown;
  #name: Pick<Chunk, "id" | "model"> = {};

  constructor(wantsUsage: boolean) {
    this.#wantsUsage = wantsUsage;
  }

  add(data: unknown): EventPlace {
    const chunk = data as Chunk | undefined;
    if (chunk?.error) return "error";
    if (chunk !== undefined) this.#join(chunk);
    if (chunk?.choices?.length === 0 && !this.#wantsUsage) return "internal";
    return this.#finish !== undefined || chunk === undefined ? "end" : "reply";
  }

  isComplete(): boolean {
    return this.#finish !== undefined;
  }

  whole(): unknown {
    const calls = this.#toolCalls.filter((call) => call !== undefined);
    return {
      ...this.#name,
      choices: [
        {
          index: 0,
          message: { ...this.#texts, ...(calls.length > 0 && { tool_calls: calls }) },
          finish_reason: this.#finish ?? "length",
          ...(this.#logprobs.length > 0 && { logprobs: { content: this.#logprobs } }),
          ...(this.#tokenIds.length > 0 && { token_ids: this.#tokenIds }),
        },
      ],
      usage: this.#usage,
      prompt_token_ids: this.#promptIds,
    };
  }

  #join({ id, model, choices = [], usage, prompt_token_ids: promptIds }: Chunk): void {
    this.#name = { ...this.#name, ...(id && { id }), ...(model && { model }) };
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
