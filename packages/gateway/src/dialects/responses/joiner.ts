import type { EventPlace, StreamJoiner } from "@envs/models";
import type { ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses";

/** Joins the events of a streamed response: the last event contains the whole response. */
export class ResponseJoiner implements StreamJoiner {
  readonly #items: ResponseOutputItem[] = [];
  #response: object | undefined;

  add(data: unknown): EventPlace {
    const event = data as ResponseStreamEvent | undefined;
    switch (event?.type) {
      case "error":
        return "error";
      case "response.output_item.done":
        this.#items.push(event.item);
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

  whole(): unknown {
    return this.#response;
  }
}
