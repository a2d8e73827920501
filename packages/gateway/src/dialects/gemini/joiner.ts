import type { EventPlace, StreamJoiner } from "@envs/models";
import type { Part } from "@google/genai";

/** A part of a streamed reply. */
interface Chunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Part[] };
    readonly finishReason?: string;
  }[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly error?: unknown;
}

/** Joins the chunks of a streamed reply. */
export class ContentJoiner implements StreamJoiner {
  readonly #parts: Part[] = [];
  #last: Chunk = {};
  #finishReason: string | undefined;

  add(data: unknown): EventPlace {
    const chunk = (data ?? {}) as Chunk;
    if (chunk.error) return "error";
    const [candidate] = chunk.candidates ?? [];
    const parts = candidate?.content?.parts ?? [];
    this.#parts.push(...parts);
    this.#finishReason = candidate?.finishReason ?? this.#finishReason;
    this.#last = { ...this.#last, ...chunk };
    // A function call comes as a whole, and agents act on it.
    const isEnd = this.isComplete() || parts.some(({ functionCall }) => functionCall);
    return isEnd ? "end" : "reply";
  }

  isComplete(): boolean {
    return this.#finishReason !== undefined || this.#last.promptFeedback?.blockReason !== undefined;
  }

  whole(): unknown {
    const finishReason = this.#finishReason ?? "MAX_TOKENS";
    if (this.isComplete() && this.#finishReason === undefined) return this.#last;
    const content = { role: "model", parts: this.#parts };
    const candidates = [{ index: 0, content, finishReason }];
    return { ...this.#last, candidates };
  }
}
