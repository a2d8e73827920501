import { type Fields, fieldsOf, listOf, numberOf, textOf } from "./json.ts";
import { costOf, usageOf, usageRow } from "./usage-row.ts";

/** A message of a trace. Each message follows its parent, so that messages form a tree. */
export interface TraceNode {
  readonly index: number;
  readonly parent: number | undefined;
  readonly message: Fields;
  /** The model wrote it in this trace. */
  readonly isSampled: boolean;
  readonly tokens: readonly unknown[];
  readonly mask: readonly boolean[];
  readonly logprobs: readonly unknown[];
  /** The message as the trace stores it. */
  readonly fields: Fields;
}

/** The usage of a model call as a row stores it. */
interface TraceCall {
  readonly subModel: string | undefined;
  readonly finish_reason: unknown;
  readonly usage: CallUsage | undefined;
  readonly model: unknown;
}

interface CallUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | undefined;
}

/** The messages of a trace, and its model calls by the index of the message that they wrote. */
export interface TraceGraph {
  readonly nodes: readonly TraceNode[];
  readonly calls: ReadonlyMap<number, TraceCall>;
}

/** Reads the messages of a trace, and the model calls by the message that each wrote. */
export function readGraph(trace: Fields): TraceGraph {
  const nodes = listOf(trace["nodes"])
    .map(fieldsOf)
    .map((fields, index): TraceNode => ({
      index,
      parent: numberOf(fields["parent"]),
      message: fieldsOf(fields["message"]),
      isSampled: fields["sampled"] === true,
      tokens: listOf(fields["token_ids"]),
      mask: listOf(fields["mask"]).map((value) => value === true || value === 1),
      logprobs: listOf(fields["logprobs"]),
      fields,
    }));
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
  const usage = usageOf(call["usage"]);
  return {
    subModel: textOf(call["model"]),
    finish_reason: call["finish_reason"],
    usage: usage && { ...usageRow(usage), cost: costOf(call["usage"]) },
    model: call["time"],
  };
}

/** The messages from the first to one of the tree. A damaged link ends the path. */
export function pathTo(nodes: readonly TraceNode[], index: number): readonly TraceNode[] {
  const path: TraceNode[] = [];
  const visited = new Set<TraceNode>();
  for (let node = nodes[index]; node !== undefined && !visited.has(node);) {
    visited.add(node);
    path.push(node);
    node = node.parent === undefined ? undefined : nodes[node.parent];
  }
  return path.toReversed();
}
