import type {
  ContentBlock,
  RawContentBlockDelta,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { EventPlace, StreamJoiner } from "@envs/models";

/** A block with the parts that have arrived so far. */
interface OpenBlock {
  readonly start: ContentBlock;
  text: string;
}

type Event = RawMessageStreamEvent | { readonly type: "ping" } | { readonly type: "error" };

/** Joins the events of a streamed message. */
export class MessageJoiner implements StreamJoiner {
  readonly #blocks: OpenBlock[] = [];
  #message: object | undefined;
  #usage: object = {};
  #stopReason: string | null | undefined;

  add(data: unknown): EventPlace {
    const event = (data ?? { type: "ping" }) as Event;
    switch (event.type) {
      case "error":
        return "error";
      case "message_start":
        this.#message = event.message;
        this.#usage = { ...event.message.usage };
        break;
      case "content_block_start":
        this.#blocks[event.index] = { start: event.content_block, text: "" };
        break;
      case "content_block_delta":
        this.#addDelta(event.index, event.delta);
        break;
      case "message_delta": {
        this.#stopReason = event.delta.stop_reason;
        const counts = Object.entries(event.usage ?? {}).filter(([, value]) => value !== null);
        this.#usage = { ...this.#usage, ...Object.fromEntries(counts) };
        return "end";
      }
      case "message_stop":
        return "end";
      default:
    }
    return "reply";
  }

  isComplete(): boolean {
    return this.#message !== undefined && this.#stopReason !== undefined;
  }

  whole(): unknown {
    const content = this.#blocks.filter((block) => block !== undefined).map(wholeBlock);
    const { stop_reason, usage } = {
      stop_reason: this.#stopReason ?? "max_tokens",
      usage: this.#usage,
    };
    return { ...this.#message, content, stop_reason, usage };
  }

  #addDelta(index: number, delta: RawContentBlockDelta): void {
    const block = this.#blocks[index];
    if (block === undefined) return;
    if (delta.type === "text_delta") block.text += delta.text;
    else if (delta.type === "thinking_delta") block.text += delta.thinking;
    else if (delta.type === "input_json_delta") block.text += delta.partial_json;
  }
}

function wholeBlock({ start, text }: OpenBlock): object {
  if (start.type === "text") return { ...start, text: start.text + text };
  if (start.type === "thinking") return { ...start, thinking: start.thinking + text };
  if (start.type !== "tool_use" || text === "") return start;
  return { ...start, input: inputOf(text) };
}

/** A reply that was cut ends in the middle of its arguments. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { INVALID_JSON: text };
  }
}
