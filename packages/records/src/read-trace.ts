import type { Rollout } from "@envs/core";
import { contentHash } from "@envs/core/engine";

import { isReadable, parseRow, type UnreadableRow } from "./read-row.ts";
import { fieldsOf, type Fields, listOf, numberOf, textOf } from "./trace-fields.ts";
import { pathTo, readGraph, type TraceGraph, type TraceNode } from "./trace-graph.ts";

/** A rollout of verifiers 0.4 is an agent's trace of an episode. */
export type ReadTrace = Rollout | UnreadableRow;

/** Parses one line of the `traces.jsonl` of verifiers 0.4: an episode with a trace for each agent. */
export function parseEpisode(line: string): readonly ReadTrace[] {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return [{ problem: "not JSON: the line is incomplete or was edited" }];
  }
  const episode = fieldsOf(json);
  const traces = listOf(episode["traces"]).map(fieldsOf);
  if (traces.length === 0) return [{ problem: "the episode has no traces" }];
  return traces.map((trace) => readTrace(trace, episode, traces.length > 1));
}

/** Whether a trace was read as a rollout. */
export const isRollout: (trace: ReadTrace) => trace is Rollout = isReadable;

function readTrace(trace: Fields, episode: Fields, isOneOfSeveral: boolean): ReadTrace {
  const { nodes, calls } = readGraph(trace);
  if (nodes.length === 0) return { problem: "the trace has no messages" };
  // The last message ends the conversation that the model saw last; other leaves are branches.
  const path = pathTo(nodes, nodes.length - 1);
  const first = path.findIndex(({ isSampled }) => isSampled);
  const prompt = path.slice(0, first === -1 ? path.length : first);
  const completion = path.slice(prompt.length);
  const sampled = completion.filter(({ isSampled }) => isSampled);
  const task = fieldsOf(trace["task"] ?? episode["task"]);
  const data = fieldsOf(task["data"]);
  const agent = isOneOfSeveral ? textOf(fieldsOf(trace["agent"])["name"]) : undefined;
  const key = textOf(task["key"]) ?? textOf(task["hash"]) ?? contentHash(data);
  const isOk = trace["ok"] !== false && episode["ok"] !== false;
  const rewards = Object.entries(fieldsOf(trace["rewards"]));
  const row = {
    environment: textOf(fieldsOf(episode["env"])["name"]) ?? textOf(fieldsOf(episode["env"])["id"]),
    example_id: numberOf(data["idx"]) ?? 0,
    example_key: agent === undefined ? key : `${key} ${agent}`,
    example: { ...data, prompt: prompt.map(({ message }) => message) },
    prompt: prompt.map(({ message }) => message),
    completion: completion.map(({ message }) => message),
    reward: isOk ? rewardOf(trace, rewards) : null,
    metrics: scoresOf(trace, rewards),
    error: isOk ? null : errorOf(trace, episode),
    stop_condition: textOf(trace["stop_condition"]) ?? "end",
    is_truncated: /^max_|context_length/.test(textOf(trace["stop_condition"]) ?? ""),
    trajectory: sampled.map((node) => ({
      seen: path.indexOf(node),
      message: node.message,
      ...calls.get(node.index),
      ...tokensOf(path, node),
    })),
    token_usage: usageOf(sampled, calls),
    branches: branchesOf(nodes, path, calls),
    timing: timingOf(fieldsOf(trace["timing"])),
  };
  return parseRow(JSON.stringify(row));
}

type Calls = TraceGraph["calls"];

function rewardOf(trace: Fields, rewards: readonly (readonly [string, unknown])[]): number | null {
  const stated = numberOf(trace["reward"]);
  if (stated !== undefined) return stated;
  if (rewards.length === 0) return null;
  return rewards.reduce((sum, [, entry]) => {
    const { score, weight } = fieldsOf(entry);
    return sum + (numberOf(score) ?? 0) * (numberOf(weight) ?? 1);
  }, 0);
}

/** A score that verifiers could not compute is `null`. */
function scoresOf(trace: Fields, rewards: readonly (readonly [string, unknown])[]) {
  const metrics = Object.entries(fieldsOf(trace["metrics"]));
  return Object.fromEntries([
    ...rewards.map(([name, entry]) => [name, numberOf(fieldsOf(entry)["score"]) ?? null]),
    ...metrics.map(([name, value]) => [name, numberOf(value) ?? null]),
  ]) as Readonly<Record<string, number | null>>;
}

function errorOf(trace: Fields, episode: Fields) {
  const errors = [...listOf(trace["errors"]), ...listOf(episode["errors"])].map(fieldsOf);
  const { type, message } = errors.at(-1) ?? {};
  return {
    error: textOf(type) ?? "",
    message: textOf(message) ?? textOf(type) ?? "The trace does not say why.",
  };
}

function usageOf(sampled: readonly TraceNode[], calls: Calls) {
  const known = sampled.flatMap(({ index }) => calls.get(index)?.usage ?? []);
  if (known.length === 0) return null;
  return {
    input_tokens: known.reduce((sum, usage) => sum + usage.input_tokens, 0),
    output_tokens: known.reduce((sum, usage) => sum + usage.output_tokens, 0),
  };
}

/** The tokens of a turn, if each message up to it has its own: a template's tokens belong to the prompt. */
function tokensOf(path: readonly TraceNode[], node: TraceNode) {
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

/** Replies beside the main conversation, each with what the model saw before it. */
function branchesOf(nodes: readonly TraceNode[], path: readonly TraceNode[], calls: Calls) {
  const others = nodes.filter((node) => node.isSampled && !path.includes(node));
  if (others.length === 0) return undefined;
  return others.map((node) => {
    const own = pathTo(nodes, node.index);
    const shared = own.filter((other) => path.includes(other));
    const turn = shared.filter(({ isSampled }) => isSampled).length - 1;
    const { subModel = "unknown", ...call } = calls.get(node.index) ?? {};
    const messages = own.slice(0, -1).map(({ message }) => message);
    const place = { turn: turn < 0 ? null : turn, sub_model: subModel };
    return Object.assign(place, { messages, message: node.message }, call);
  });
}

function timingOf(timing: Fields) {
  const span = (value: unknown) => {
    const { start, end } = fieldsOf(value);
    return { start: numberOf(start) ?? 0, end: numberOf(end) ?? 0 };
  };
  return {
    setup: span(timing["setup"]),
    generation: span(timing["agent"]),
    scoring: span(timing["scoring"]),
  };
}
