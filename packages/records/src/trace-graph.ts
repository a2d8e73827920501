import type { Message } from "@envs/core";

import { fieldsOf, type Fields, listOf, numberOf, textOf } from "./trace-fields.ts";

/** A message of a trace. Each message follows its parent, so that messages form a tree. */
export interface TraceNode {
  readonly index: number;
  readonly parent: number | undefined;
  readonly message: Message;
  /** The model wrote it in this trace. */
  readonly isSampled: boolean;
  readonly tokens: readonly number[];
  readonly mask: readonly boolean[];
  readonly logprobs: readonly number[];
}

/** What a model call cost, as a row stores it. */
export interface TraceCall {
  readonly subModel: string | undefined;
  readonly finish_reason: string | undefined;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  readonly model: { readonly start: number; readonly end: number } | undefined;
}

/** The messages of a trace, and its model calls by the index of what they wrote. */
export interface TraceGraph {
  readonly nodes: readonly TraceNode[];
  readonly calls: ReadonlyMap<number, TraceCall>;
}

/** Reads the messages of a trace, and the model calls by the message that each wrote. */
export function readGraph(trace: Fields): TraceGraph {
  const nodes = listOf(trace["nodes"]).map((value, index): TraceNode => {
    const node = fieldsOf(value);
    return {
      index,
      parent: numberOf(node["parent"]),
      message: fieldsOf(node["message"]) as unknown as Message,
      isSampled: node["sampled"] === true,
      tokens: listOf(node["token_ids"]) as readonly number[],
      mask: listOf(node["mask"]).map((value) => value === true),
      logprobs: listOf(node["logprobs"]) as readonly number[],
    };
  });
  const calls = new Map(
    listOf(trace["calls"]).flatMap((value) => {
      const call = fieldsOf(value);
      const node = numberOf(call["node"]);
      return node === undefined ? [] : [[node, readCall(call)] as const];
    }),
  );
  return { nodes, calls };
}

function readCall(call: Fields): TraceCall {
  const usage = fieldsOf(call["usage"]);
  const time = fieldsOf(call["time"]);
  const [input, output] = [usage["prompt_tokens"], usage["completion_tokens"]].map(numberOf);
  const [start, end] = [time["start"], time["end"]].map(numberOf);
  return {
    subModel: textOf(call["model"]),
    finish_reason: textOf(call["finish_reason"]),
    usage:
      input === undefined || output === undefined
        ? undefined
        : {
            input_tokens: input + (numberOf(usage["cached_input_tokens"]) ?? 0),
            output_tokens: output,
          },
    model: start === undefined || end === undefined ? undefined : { start, end },
  };
}

/** The messages from the first to one of the tree. A damaged link ends the path. */
export function pathTo(nodes: readonly TraceNode[], index: number): readonly TraceNode[] {
  const path: TraceNode[] = [];
  for (let at: number | undefined = index; at !== undefined;) {
    const node: TraceNode | undefined = nodes[at];
    if (node === undefined || path.includes(node)) break;
    path.unshift(node);
    at = node.parent;
  }
  return path;
}
