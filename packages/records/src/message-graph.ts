import type { Message, Rollout, Turn } from "@envs/core";
import type { AgentCall, ToolSpec } from "@envs/core/engine";

import { type MessageNode, MessageTree } from "./message-tree.ts";

/** A model call of a rollout, as a place in the tree of its messages. */
export interface GraphCall extends Pick<Turn, "finish" | "usage" | "tokens" | "model"> {
  /** The caller: the episode, an agent that replies to it or asks its helpers, or the environment's code. */
  readonly kind: "turn" | "agent" | "helper" | "sub-model";
  /**
   * The turn that the call belongs to; `undefined` for a sub-model that `setup` asked. Calls that led to no message belong to the
   * turn after the last.
   */
  readonly turn: number | undefined;
  /** The model that an agent asked for, or the sub-model that replied. */
  readonly name?: string | undefined;
  /** The node of the last message that the model received; `undefined` if it received none. */
  readonly after: number | undefined;
  /** The node of the reply; `undefined` without a complete reply. */
  readonly reply: number | undefined;
  /** Why an agent's call has no complete reply. */
  readonly error?: string | undefined;
  readonly tools?: readonly ToolSpec[] | undefined;
  /**
   * Whether the agent asked for something beside its task, such as a title or a summary. Such a call offers no tools although
   * others of the rollout do, no call continues its reply, and the agent did not answer with it.
   */
  readonly isAuxiliary: boolean;
}

/** The messages of a rollout, each stored once, and its model calls in order. */
export interface MessageGraph {
  /** The messages of the episode's conversation, then those that calls have added. */
  readonly nodes: readonly MessageNode[];
  readonly calls: readonly GraphCall[];
  /** The ends of all conversations: one for a linear rollout, more where an agent forks, compacts or has sub-agents. */
  readonly leaves: readonly number[];
}

type Recorded = Pick<
  Rollout,
  "prompt" | "completion" | "trajectory" | "unfinishedCalls" | "branches"
>;

/** Builds the graph of a rollout's messages from its record. */
export function messageGraph({
  prompt,
  completion,
  trajectory,
  unfinishedCalls = [],
  branches = [],
}: Recorded): MessageGraph {
  const tree = new MessageTree();
  tree.add([...prompt, ...completion]);
  const calls = [
    ...trajectory.flatMap((turn, index) =>
      turn.calls === undefined ? [turnCall(turn, index)] : agentCalls(tree, turn.calls, index),
    ),
    ...agentCalls(tree, unfinishedCalls, trajectory.length),
  ];
  const hasTools = calls.some(({ tools = [] }) => tools.length > 0);
  const asked = branches.map(({ turn, subModel: name, messages, message, isOverflow, ...call }) => {
    const after = tree.add(messages);
    const reply = isOverflow === true ? undefined : tree.add([message], after);
    return { ...call, kind: "sub-model" as const, turn, name, after, reply, isAuxiliary: false };
  });
  const isAuxiliary = ({ kind, tools = [], reply, turn }: Asked): boolean =>
    kind === "agent" &&
    hasTools &&
    tools.length === 0 &&
    reply !== undefined &&
    !tree.hasNext(reply) &&
    tree.nodes[reply]!.message.content !== trajectory[turn!]?.message.content;
  return {
    nodes: tree.nodes,
    calls: [
      ...calls.map((call) => Object.assign(call, { isAuxiliary: isAuxiliary(call) })),
      ...asked,
    ],
    leaves: tree.leaves,
  };
}

type Asked = Omit<GraphCall, "isAuxiliary">;

/** The conversation of the episode is the first path of the tree, so that its messages are the first nodes. */
function turnCall({ seen, finish, usage, tokens, model }: Turn, turn: number): Asked {
  const after = seen === 0 ? undefined : seen - 1;
  return { kind: "turn", turn, after, reply: seen, finish, usage, tokens, model };
}

function agentCalls(
  tree: MessageTree,
  calls: readonly AgentCall[],
  turn: number,
): readonly Asked[] {
  return calls.map(({ requestedModel: name, isHelper, messages, message, error, ...call }) => {
    const { tools, finish, usage, tokens, model } = call;
    const after = tree.add(messages);
    const reply = error === undefined ? tree.add([message], after) : undefined;
    const kind = isHelper ? ("helper" as const) : ("agent" as const);
    const asked = { kind, turn, name, after, reply, error };
    return { ...asked, tools, finish, usage, tokens, model };
  });
}

/** The nodes from the first of a conversation to its last; none for `undefined`. */
export function pathTo(
  { nodes }: Pick<MessageGraph, "nodes">,
  last: number | undefined,
): readonly number[] {
  const path: number[] = [];
  for (let node = last; node !== undefined; node = nodes[node]!.parent) path.push(node);
  return path.toReversed();
}

/** The messages from the first of a conversation to that of a node; none for `undefined`. */
export function conversationTo(
  graph: Pick<MessageGraph, "nodes">,
  last: number | undefined,
): readonly Message[] {
  return pathTo(graph, last).map((node) => graph.nodes[node]!.message);
}
