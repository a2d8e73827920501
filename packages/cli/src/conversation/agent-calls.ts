import type { Message, Rollout } from "@envs/core";
import { addUsage, describeContent, noUsage } from "@envs/core/engine";
import { type GraphCall, messageGraph, pathTo } from "@envs/records";

import { clean, paint } from "../terminal/text.ts";
import { wrap } from "../terminal/wrap.ts";
import { callFigures } from "../text/figures.ts";
import { callText } from "./tool-call.ts";

interface AgentLayout {
  readonly columns: number;
  /** Show the calls, not only their number. */
  readonly isWhole: boolean;
}

const indent = "  ";

/**
 * Formats the model calls of an agent for each turn; calls before a failure follow the last turn. A call shows only messages that
 * no earlier call of the rollout has shown. A turn with one call, which is its reply, has no lines.
 */
export function agentCallLines(
  rollout: Rollout,
  layout: AgentLayout,
): (turn: number) => readonly string[] {
  const { trajectory, unfinishedCalls = [] } = rollout;
  if (unfinishedCalls.length === 0 && trajectory.every(({ calls }) => calls === undefined))
    return () => [];
  const graph = messageGraph(rollout);
  const own = rollout.prompt.length + rollout.completion.length;
  const shown = new Set(Array.from({ length: own }, (_, node) => node));
  const linesOf = (call: GraphCall, index: number): readonly string[] => {
    const text = (node: number, mark: string): readonly string[] =>
      wrap(`${mark} ${textOf(graph.nodes[node]!.message)}`, layout.columns - 8).map(
        (line, at) => `    ${at === 0 ? "" : "  "}${line}`,
      );
    const fresh = pathTo(graph, call.after).filter((node) => !shown.has(node));
    const replies = call.reply === undefined || shown.has(call.reply) ? [] : [call.reply];
    for (const node of [...fresh, ...replies]) shown.add(node);
    const helper = call.kind === "helper" ? `, helper ${clean(call.name ?? "")}` : "";
    const role = call.isAuxiliary ? ", beside the task" : helper;
    const end = call.error === undefined ? "" : `, without a complete reply: ${clean(call.error)}`;
    return [
      paint("dim", `    call ${index + 1}${role}${end}`),
      ...fresh.flatMap((node) => text(node, "?")).map((line) => paint("dim", line)),
      ...replies.flatMap((node) => text(node, "=")),
    ];
  };
  const isTurnItself = ({ after = -1, reply = own }: GraphCall): boolean =>
    after < own && reply < own;
  return (turn) => {
    const calls = graph.calls.filter(
      (call) => (call.kind === "agent" || call.kind === "helper") && call.turn === turn,
    );
    if (calls.every(isTurnItself)) return [];
    const beside = calls.filter(({ isAuxiliary }) => isAuxiliary).length;
    const usage = calls.reduce((sum, call) => addUsage(sum, call.usage), noUsage);
    const unknownCalls = calls.filter((call) => call.usage === undefined).length;
    const figures = callFigures({ ...usage, calls: calls.length, unknownCalls });
    const note = beside === 0 ? "" : `, ${beside} beside the task`;
    const hint = layout.isWhole ? "" : ", press a to show";
    return [
      paint("magenta", `${indent}⤷ agent ${figures}${note}${hint}`),
      ...(layout.isWhole ? calls.flatMap(linesOf) : []),
    ];
  };
}

function textOf(message: Message): string {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return clean([describeContent(message.content), ...calls.map(callText)].join(" ").trim());
}
