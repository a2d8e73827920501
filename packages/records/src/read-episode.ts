import { contentHash } from "@envs/core/engine";

import { type Fields, fieldsOf, listOf, numberOf, shownText, textOf } from "./json.ts";
import type { ReadRollout, RecordedScore, UnreadableRow } from "./read-rollout.ts";
import { expectedOf, readRow } from "./read-row.ts";
import { nodeTokensOf } from "./tokens.ts";
import { pathTo, readGraph, type TraceGraph, type TraceNode } from "./trace-graph.ts";

/** Reads an episode of verifiers 0.4, a line of `traces.jsonl`: a rollout for each agent's trace. */
export function readEpisode(episode: Fields): readonly ReadRollout[] | UnreadableRow {
  const traces = listOf(episode["traces"]).map(fieldsOf);
  if (traces.length === 0) return { problem: "The episode has no traces." };
  return traces.map((trace) => readTrace(trace, episode, traces.length > 1));
}

function readTrace(trace: Fields, episode: Fields, isOneOfSeveral: boolean): ReadRollout {
  const graph = readGraph(trace);
  const { nodes, calls } = graph;
  // The last message ends the conversation that the model saw last; other leaves are branches.
  const path = pathTo(nodes, nodes.length - 1);
  const first = path.findIndex(({ isSampled }) => isSampled);
  const task = fieldsOf(trace["task"] ?? episode["task"]);
  const data = fieldsOf(task["data"]);
  const start = first === -1 ? path.length : first;
  // A trace that ended before its first model call has no messages, but its task has the prompt.
  const prompt = path.length === 0 ? taskPrompt(data) : path.slice(0, start).map(messageOf);
  const sampled = path.filter(({ isSampled }) => isSampled);
  const agent = isOneOfSeveral ? ` ${textOf(fieldsOf(trace["agent"])["name"]) ?? ""}` : "";
  const key = textOf(task["key"]) ?? textOf(task["hash"]) ?? contentHash(data);
  const isOk = trace["ok"] !== false && episode["ok"] !== false;
  const scores = scoresOf(trace);
  const env = fieldsOf(episode["env"]);
  const read = readRow({
    environment: env["name"] ?? env["id"],
    example_id: data["idx"],
    example_key: `${key}${agent}`,
    example: { ...data, prompt },
    prompt,
    completion: path.slice(start).map(messageOf),
    reward: isOk ? (numberOf(trace["reward"]) ?? rewardOf(trace)) : null,
    metrics: Object.fromEntries(scores.map(({ name, value }) => [name, value])),
    error: isOk ? null : errorOf(trace, episode),
    stop_condition: trace["stop_condition"] ?? "end",
    is_truncated: isTruncated(trace),
    trajectory: sampled.map((node) => ({
      seen: path.indexOf(node),
      ...calls.get(node.index),
      ...tokensOf(path, node),
    })),
    token_usage: usageOf(sampled, calls),
    branches: branchesOf(graph, path),
    timing: trace["timing"],
    tool_defs: listOf(trace["tools"]).length > 0 ? trace["tools"] : undefined,
  });
  const label = shownText(data["idx"] ?? task["key"] ?? data["id"] ?? "?");
  return {
    ...read,
    example: `${label}${agent}`,
    scores,
    expected: expectedOf(data["answer"]),
    turns: () =>
      read
        .turns()
        .map((turn, index) =>
          Object.assign(turn, { tokens: nodeTokensOf(sampled[index]!.fields) }),
        ),
  };
}

function messageOf({ message }: TraceNode): unknown {
  return message;
}

function taskPrompt({ system_prompt: system, prompt }: Fields): readonly unknown[] {
  const messages =
    typeof prompt === "string" ? [{ role: "user", content: prompt }] : listOf(prompt);
  return typeof system === "string" ? [{ role: "system", content: system }, ...messages] : messages;
}

/** The stop reasons of verifiers' limits on turns and tokens. A deadline is not one of them, because it does not cut a reply. */
const limits: ReadonlySet<unknown> = new Set([
  "max_turns",
  "max_input_tokens",
  "max_output_tokens",
  "max_total_tokens",
  "context_length",
  "compaction_failed",
]);

/** Whether a limit ended the trace, or the last reply. Verifiers computes it, and does not store it. */
function isTruncated(trace: Fields): boolean {
  const calls = listOf(trace["calls"]).map(fieldsOf);
  const last = calls.findLast(({ error }) => error === undefined || error === null);
  return limits.has(trace["stop_condition"]) || last?.["finish_reason"] === "length";
}

/** A score that verifiers could not compute is `null`. A metric has no weight in the reward. */
function scoresOf(trace: Fields): readonly RecordedScore[] {
  const scoreOf = (name: string, value: number | undefined, weight: number): RecordedScore => ({
    name,
    value: value ?? null,
    label: undefined,
    weight,
    answer: undefined,
    explanation: undefined,
  });
  const rewards = Object.entries(fieldsOf(trace["rewards"])).map(([name, entry]) => {
    const { score, weight } = fieldsOf(entry);
    return scoreOf(name, numberOf(score) ?? numberOf(entry), numberOf(weight) ?? 1);
  });
  const metrics = Object.entries(fieldsOf(trace["metrics"])).map(([name, value]) =>
    scoreOf(name, numberOf(value), 0),
  );
  return [...rewards, ...metrics];
}

/** The sum of the weighted scores. A score that is not a number, such as NaN, makes the reward unknown. */
function rewardOf(trace: Fields): number | null {
  const entries = Object.values(fieldsOf(trace["rewards"])).filter((entry) => entry !== null);
  const values = entries.map((entry) => {
    const { score = entry, weight } = fieldsOf(entry);
    return (numberOf(score) ?? NaN) * (numberOf(weight) ?? 1);
  });
  const sum = values.reduce((total, value) => total + value, 0);
  return values.length === 0 || Number.isNaN(sum) ? null : sum;
}

function errorOf(trace: Fields, episode: Fields): Fields {
  const errors = [...listOf(trace["errors"]), ...listOf(episode["errors"])].map(fieldsOf);
  const last = errors.at(-1);
  if (last !== undefined) return last;
  const stop = textOf(trace["stop_condition"]);
  const message = stop === undefined ? "The trace lacks the reason." : `It ended by ${stop}.`;
  return { message, ...(trace["is_timeout"] === true && { code: "timeout" }) };
}

type Calls = TraceGraph["calls"];

function usageOf(sampled: readonly TraceNode[], calls: Calls): Fields | null {
  const known = sampled.flatMap(({ index }) => calls.get(index)?.usage ?? []);
  if (known.length === 0) return null;
  const sum = (read: (usage: (typeof known)[number]) => number): number =>
    known.reduce((total, usage) => total + read(usage), 0);
  const isPriced = known.every(({ cost }) => cost !== undefined);
  return {
    input_tokens: sum(({ input_tokens: tokens }) => tokens),
    output_tokens: sum(({ output_tokens: tokens }) => tokens),
    ...(isPriced && { cost: sum(({ cost = 0 }) => cost) }),
  };
}

/** The tokens of a turn, if each message up to it has its own: a template's tokens belong to the prompt. */
function tokensOf(path: readonly TraceNode[], node: TraceNode): Fields {
  const before = path.slice(0, path.indexOf(node));
  if (node.tokens.length === 0 || before.some(({ tokens }) => tokens.length === 0)) return {};
  const start = node.mask.indexOf(true);
  if (start === -1) return {};
  return {
    tokens: {
      prompt_ids: [...before.flatMap(({ tokens }) => tokens), ...node.tokens.slice(0, start)],
      completion_ids: node.tokens.slice(start),
      completion_logprobs: node.logprobs,
    },
  };
}

/** Replies outside the main conversation, each with the messages that the model received. */
function branchesOf(
  { nodes, calls }: TraceGraph,
  path: readonly TraceNode[],
): readonly Fields[] | undefined {
  const others = nodes.filter((node) => node.isSampled && !path.includes(node));
  if (others.length === 0) return undefined;
  return others.map((node) => {
    const own = pathTo(nodes, node.index);
    const shared = own.filter((other) => path.includes(other) && other.isSampled);
    const { subModel = "model", ...call } = calls.get(node.index) ?? {};
    const branch = {
      turn: shared.length === 0 ? null : shared.length - 1,
      sub_model: subModel,
      messages: own.slice(0, -1).map(messageOf),
      message: node.message,
    };
    return Object.assign(branch, call);
  });
}
