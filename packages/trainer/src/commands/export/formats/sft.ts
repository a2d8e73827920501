import { FailureError, UsageError } from "@envs/cli/kit";
import type { Rollout } from "@envs/core";
import { type ToolSpec } from "@envs/core/engine";
import { type MessageGraph, messageGraph, pathTo, sidesOf } from "@envs/records";
import type * as Serve from "@envs/serve";

import { type ExportResult, toChatJsonl } from "../export-files.ts";
import { filterRollouts } from "../filter-rollouts.ts";
import { repliesAsToolCalls } from "../replies-as-tool-calls.ts";
import type { RunSource } from "../run-source.ts";

export interface SftOptions {
  /** Write the sides of all seats that models have played, each with its own reward. */
  readonly seats?: boolean | undefined;
  /** Write only messages and tools. */
  readonly isBare: boolean;
  /** Convert plain replies to calls of the tool `respond`, for trainers that support only tools. */
  readonly servedTools?: typeof Serve.servedTools | undefined;
  /** Write sub-model calls too, and the conversations of an agent with its model, each as a conversation. */
  readonly branches?: boolean | undefined;
}

/** Exports a run as chat JSONL: scored rollouts, each conversation once. */
export function sft(
  { rollouts, clauses, tools, model }: RunSource,
  { isBare, servedTools, branches = false, seats = false }: SftOptions,
): ExportResult {
  const sides = seats ? rollouts.flatMap(sidesOf) : rollouts;
  const { kept, excluded } = filterRollouts(sides, { clauses });
  if (kept.length === 0) throw new FailureError("No rollout matches, so no file was written.");
  const played = kept.filter(isReplyOwn);
  const own = servedTools === undefined ? played : withToolCalls(played, tools, servedTools);
  const chats = branches
    ? [...own, ...kept.flatMap(agentConversations), ...kept.flatMap(branchConversations)]
    : own;
  const reasons = excluded
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${count} ${reason}`);
  if (played.length < kept.length) reasons.push(`${kept.length - played.length} of a helper`);
  return {
    files: [
      {
        path: "chats.jsonl",
        text: toChatJsonl(chats, {
          isBare,
          model,
          tools,
        }),
      },
    ],
    notes: [
      `kept      ${played.length} of ${sides.length} rollouts${reasons.length === 0 ? "" : `; excluded: ${reasons.join(", ")}`}`,
    ],
  };
}

/** Whether an agent has no reply of a helper, which is not the model that is trained. */
function isReplyOwn({ trajectory }: Rollout): boolean {
  return trajectory.every(({ message, calls = [] }) => {
    const last = calls.findLast(({ error }) => error === undefined);
    return last?.isHelper !== true || last.message.content !== message.content;
  });
}

/** The conversations of an agent with its model, without those in which a helper has replied, and without calls beside its task: a rollout for each last reply. */
function agentConversations(rollout: Rollout): readonly Rollout[] {
  const graph = messageGraph(rollout);
  const calls = graph.calls.filter(({ kind, isAuxiliary }) => kind === "agent" && !isAuxiliary);
  const replies = new Set(calls.map(({ reply }) => reply!));
  const continued = continuedNodes(graph);
  const byHelpers = new Set(
    graph.calls.flatMap(({ kind, reply }) => (kind === "helper" ? (reply ?? []) : [])),
  );
  return calls
    .filter(
      ({ reply, finish }) => reply !== undefined && !continued.has(reply) && finish !== "length",
    )
    .map(({ reply, tools }) => ({ path: pathTo(graph, reply), tools }))
    .filter(({ path }) => !path.some((node) => byHelpers.has(node)))
    .map(({ path, tools = [] }) => {
      const start = path.findIndex((node) => replies.has(node));
      const messages = path.map((node) => graph.nodes[node]!.message);
      const [prompt, completion] = [messages.slice(0, start), messages.slice(start)];
      return Object.assign({}, rollout, { prompt, completion, toolSpecs: tools });
    });
}

/** The nodes that a complete reply follows. A cancelled call does not continue the reply before it. */
function continuedNodes({ nodes, calls }: MessageGraph): ReadonlySet<number> {
  const continued = new Set<number>();
  for (const { after, reply } of calls)
    for (
      let node = reply === undefined ? undefined : after;
      node !== undefined && !continued.has(node);
      node = nodes[node]!.parent
    )
      continued.add(node);
  return continued;
}

/** The sub-model calls of a rollout as rollouts, so that rows name the example and the reward. */
function branchConversations(rollout: Rollout): readonly Rollout[] {
  const { branches = [] } = rollout;
  return branches
    .filter(({ isOverflow = false, finish }) => !isOverflow && finish !== "length")
    .map(({ messages, message, tools = [] }) =>
      Object.assign({}, rollout, { prompt: messages, completion: [message], toolSpecs: tools }),
    );
}

function withToolCalls(
  rollouts: readonly Rollout[],
  tools: readonly ToolSpec[] | undefined,
  servedTools: typeof Serve.servedTools,
): readonly Rollout[] {
  const common = tools && servedTools(tools);
  return rollouts.map((rollout) => {
    const served = rollout.toolSpecs === undefined ? common : servedTools(rollout.toolSpecs);
    if (served === undefined)
      throw new UsageError(
        "--calls requires the environment's tools, but the run's environment is not installed. Install it.",
      );
    const completion = repliesAsToolCalls(rollout.completion, served);
    return { ...rollout, completion, toolSpecs: served.specs };
  });
}
