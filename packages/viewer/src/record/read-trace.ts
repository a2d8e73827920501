import { type Fields, fieldsOf, listOf, numberOf, shownText, textOf } from "./json.ts";
import { numberTurns, readMessage } from "./read-messages.ts";
import { readError, readPhases } from "./read-row.ts";
import { readUsage, spanOf } from "./read-usage.ts";
import type { ViewedMessage, ViewedRollout, ViewedScore, ViewedTurn } from "./rollout.ts";
import { readNodeTokens } from "./tokens.ts";

/** Reads an episode of verifiers 0.4, a line of `traces.jsonl`: one rollout for each agent's trace. */
export function readEpisode(episode: Fields): readonly ViewedRollout[] {
  const traces = listOf(episode["traces"]).map(fieldsOf);
  return traces.map((trace) => readTrace(trace, episode, traces.length > 1));
}

function readTrace(trace: Fields, episode: Fields, isOneOfSeveral: boolean): ViewedRollout {
  const task = fieldsOf(trace["task"] ?? episode["task"]);
  const data = fieldsOf(task["data"]);
  const agent = textOf(fieldsOf(trace["agent"])["name"]) ?? "";
  const { nodes, messages, promptLength } = readBranch(trace);
  const errors = [...listOf(trace["errors"]), ...listOf(episode["errors"])];
  const isOk = trace["ok"] !== false && episode["ok"] !== false;
  const scores = readScores(trace);
  const reward = numberOf(trace["reward"]) ?? weightedSum(scores);
  const index = data["idx"] ?? task["key"] ?? data["id"];
  const example = index === undefined ? "?" : shownText(index);
  const calls = new Map(
    listOf(trace["calls"])
      .map(fieldsOf)
      .map((call) => [call["node"], call]),
  );
  const turns = nodes
    .filter(({ node }) => node["sampled"] === true)
    .map(({ node, position }) => readTurn(node, fieldsOf(calls.get(position))));
  const stop = textOf(trace["stop_condition"]);
  return {
    example: isOneOfSeveral ? `${example} ${agent}` : example,
    key: `${textOf(task["hash"]) ?? textOf(task["key"]) ?? example}${isOneOfSeveral ? ` ${agent}` : ""}`,
    rollout: undefined,
    status: isOk ? "scored" : "failed",
    reward: isOk ? (reward ?? null) : null,
    scores,
    messages: numberTurns(messages, promptLength),
    promptLength,
    turns,
    stopReason: isOk ? (stop ?? "end") : undefined,
    isTruncated: turns.at(-1)?.finish === "length" || /limit|max_|timeout/u.test(stop ?? ""),
    isFiltered: turns.some(({ finish }) => finish === "content_filter"),
    error: isOk ? undefined : readError(errors.at(-1) ?? "The record does not say why."),
    toolErrors: [],
    tools: [],
    judges: [],
    earlierErrors: [],
    expected: data["answer"] === undefined ? undefined : shownText(data["answer"]),
    usage: sumUsage(turns),
    phases: readPhases(trace["timing"]),
    advantage: undefined,
    ...readSideBranches(trace, nodes, calls),
  };
}

interface BranchNode {
  readonly node: Fields;
  readonly position: number;
}

/** Replies beside the last branch, each with the messages that the model saw before it. */
function readSideBranches(
  trace: Fields,
  main: readonly BranchNode[],
  calls: ReadonlyMap<unknown, Fields>,
): Pick<ViewedRollout, "branches"> {
  const all = listOf(trace["nodes"]).map(fieldsOf);
  const positions = new Set(main.map(({ position }) => position));
  const branches = all.flatMap((node, at) => {
    if (node["sampled"] !== true || positions.has(at)) return [];
    const path = pathTo(all, at);
    const shared = path.filter((step) => positions.has(step.position));
    const call = fieldsOf(calls.get(at));
    const turn = shared.filter((step) => step.node["sampled"] === true).length - 1;
    return [
      {
        turn: turn < 0 ? undefined : turn,
        kind: "sub-model" as const,
        subModel: textOf(call["model"]) ?? "model",
        messages: path.map((step) => readMessage(fieldsOf(step.node["message"]))),
        usage: readUsage(call["usage"]),
        seconds: spanOf(call["time"]),
        isOverflow: false,
      },
    ];
  });
  return branches.length === 0 ? {} : { branches };
}

/** The nodes from the root to one of them. A damaged link ends the path. */
function pathTo(all: readonly Fields[], last: number): readonly BranchNode[] {
  const nodes: BranchNode[] = [];
  const visited = new Set<number>();
  for (let at: unknown = last; typeof at === "number" && !visited.has(at);) {
    const node = all[at];
    if (node === undefined) break;
    visited.add(at);
    nodes.unshift({ node, position: at });
    at = node["parent"];
  }
  return nodes;
}

/** The conversation of the last branch: the path from the root to the last message. */
function readBranch(trace: Fields) {
  const all = listOf(trace["nodes"]).map(fieldsOf);
  const nodes = pathTo(all, all.length - 1);
  const firstSampled = nodes.findIndex(({ node }) => node["sampled"] === true);
  const messages: readonly ViewedMessage[] = nodes.map(({ node }) =>
    readMessage(fieldsOf(node["message"])),
  );
  return { nodes, messages, promptLength: firstSampled === -1 ? messages.length : firstSampled };
}

function readTurn(node: Fields, call: Fields): ViewedTurn {
  return {
    finish: textOf(call["finish_reason"]) ?? textOf(node["finish_reason"]),
    usage: readUsage(call["usage"]),
    modelSeconds: spanOf(call["time"]),
    environmentSeconds: undefined,
    tokens: readNodeTokens(node),
    reward: undefined,
    advantage: undefined,
  };
}

function readScores(trace: Fields): readonly ViewedScore[] {
  const rewards = Object.entries(fieldsOf(trace["rewards"])).map(([name, entry]): ViewedScore => {
    const { score, weight } = fieldsOf(entry);
    return scoreOf(name, numberOf(score) ?? numberOf(entry), numberOf(weight) ?? 1);
  });
  const metrics = Object.entries(fieldsOf(trace["metrics"])).map(([name, value]) =>
    scoreOf(name, numberOf(value), 0),
  );
  return [...rewards, ...metrics];
}

function scoreOf(name: string, value: number | undefined, weight: number): ViewedScore {
  const none = { label: undefined, answer: undefined, explanation: undefined };
  return { name, value: value ?? null, weight, ...none };
}

function weightedSum(scores: readonly ViewedScore[]): number | undefined {
  if (scores.length === 0) return undefined;
  return scores.reduce((sum, { value, weight = 0 }) => sum + (value ?? 0) * weight, 0);
}

function sumUsage(turns: readonly ViewedTurn[]): ViewedRollout["usage"] {
  const known = turns.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  if (known.length === 0) return undefined;
  return {
    inputTokens: known.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: known.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    cost: known.every(({ cost }) => cost !== undefined)
      ? known.reduce((sum, { cost = 0 }) => sum + cost, 0)
      : undefined,
  };
}
