import { pieces } from "@envs/models/server";
import type {
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";

import type { WireResponse } from "./encode.ts";

type Event = ResponseStreamEvent;
/** An event before it is numbered. */
type Unnumbered = Event extends infer One
  ? One extends Event
    ? Omit<One, "sequence_number" | "response"> & { readonly response?: WireResponse }
    : never
  : never;

/** The events of a stream that ends with `response`. */
export function responseEvents(response: WireResponse): readonly Unnumbered[] {
  const begun: WireResponse = { ...response, status: "in_progress", output: [] };
  const last = response.status === "completed" ? "response.completed" : "response.incomplete";
  const events: Unnumbered[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...response.output.flatMap((item, index) => itemEvents(item, index)),
    { type: last, response },
  ];
  return events.map((event, index) => Object.assign(event, { sequence_number: index }));
}

function itemEvents(item: ResponseOutputItem, index: number): readonly Unnumbered[] {
  const done = { type: "response.output_item.done", output_index: index, item } as const;
  const added = (empty: ResponseOutputItem): Unnumbered => ({
    type: "response.output_item.added",
    output_index: index,
    item: empty,
  });
  if (item.type === "message")
    return [
      added({ ...item, status: "in_progress", content: [] }),
      ...textEvents(item, index),
      done,
    ];
  if (item.type === "function_call")
    return [
      added({ ...item, status: "in_progress", arguments: "" }),
      ...callEvents(item, index),
      done,
    ];
  if (item.type === "reasoning")
    return [added({ ...item, summary: [] }), ...reasoningEvents(item, index), done];
  return [added(item), done];
}

function textEvents(item: ResponseOutputMessage, index: number): readonly Unnumbered[] {
  const [part] = item.content;
  if (part?.type !== "output_text") return [];
  const place = { item_id: item.id, output_index: index, content_index: 0 };
  return [
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...pieces(part.text).map((delta): Unnumbered =>
      Object.assign({ type: "response.output_text.delta" as const, delta, logprobs: [] }, place),
    ),
    { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
  ];
}

function callEvents(item: ResponseFunctionToolCall, index: number): readonly Unnumbered[] {
  const place = { item_id: item.id ?? "", output_index: index };
  const { arguments: text } = item;
  return [
    { type: "response.function_call_arguments.delta", ...place, delta: text },
    { type: "response.function_call_arguments.done", ...place, arguments: text },
  ];
}

function reasoningEvents(item: ResponseReasoningItem, index: number): readonly Unnumbered[] {
  const [part] = item.summary;
  if (part === undefined) return [];
  const place = { item_id: item.id, output_index: index, summary_index: 0 };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
    ...pieces(part.text).map((delta): Unnumbered =>
      Object.assign({ type: "response.reasoning_summary_text.delta", delta } as const, place),
    ),
    { type: "response.reasoning_summary_text.done", ...place, text: part.text },
    { type: "response.reasoning_summary_part.done", ...place, part },
  ];
}
