import type { EventPlace, StreamJoiner } from "@envs/models";
import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";

/** Joins the events of a streamed response: the last event contains the whole response. */
export class ResponseJoiner implements StreamJoiner {
  readonly #items: ResponseOutputItem[] = [];
  #begun: Partial<Response> = {};
  #response: object | undefined;
  /** The item that arrives, and its text so far. */
  #open: ResponseOutputItem | undefined;
  #text = "";

  add(data: unknown): EventPlace {
    const event = data as ResponseStreamEvent | undefined;
    switch (event?.type) {
      case "error":
        return "error";
      case "response.created":
        this.#begun = event.response;
        return "reply";
      case "response.output_item.added":
        this.#open = event.item;
        this.#text = "";
        return "reply";
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
      case "response.function_call_arguments.delta":
        this.#text += event.delta;
        return "reply";
      case "response.output_item.done":
        this.#items.push(event.item);
        this.#open = undefined;
        // Agents act on a function call before the response is complete.
        return event.item.type === "function_call" ? "end" : "reply";
      case "response.function_call_arguments.done":
        return "end";
      case "response.completed":
      case "response.incomplete":
      case "response.failed": {
        const { response } = event;
        // Some servers leave the output out.
        const output = response.output?.length > 0 ? response.output : this.#items;
        this.#response = { ...response, output };
        return "end";
      }
      default:
        return "reply";
    }
  }

  isComplete(): boolean {
    return this.#response !== undefined;
  }

  whole(): unknown {
    if (this.#response !== undefined) return this.#response;
    const open = this.#open === undefined ? [] : [received(this.#open, this.#text)];
    const details = { reason: "max_output_tokens" };
    const output = [...this.#items, ...open];
    return { ...this.#begun, status: "incomplete", incomplete_details: details, output };
  }
}

/** An item with the text that has arrived of it. */
function received(item: ResponseOutputItem, text: string): object {
  if (item.type === "message") return { ...item, content: [{ type: "output_text", text }] };
  if (item.type === "reasoning") return { ...item, summary: [{ type: "summary_text", text }] };
  return item.type === "function_call" ? { ...item, arguments: text } : item;
}
