import { type Fields, fieldsOf, listOf, numberOf, textOf } from "./json.ts";
import type { ReadRollout } from "./read-rollout.ts";
import { readRow } from "./read-row.ts";

/** Whether a record is a trajectory in ATIF, the Agent Trajectory Interchange Format of Harbor. */
export function isTrajectory(record: Fields): boolean {
  return /^ATIF-v1\.\d+$/u.test(textOf(record["schema_version"]) ?? "");
}

/** What a trajectory itself does not say: the fields of its row that its grader and its dataset know. */
export interface TrajectoryFacts extends Fields {
  readonly reward?: number | null;
  readonly error?: Fields | null;
}

/**
 * Reads a trajectory in ATIF 1.0 to 1.8. Steps before the agent's first own step are the prompt, also those that it copied from an
 * earlier trajectory. The replies of embedded sub-agents are branches. ATIF has no reward: without `facts` the rollout is unscored.
 */
export function readTrajectory(trajectory: Fields, facts: TrajectoryFacts = {}): ReadRollout {
  const steps = listOf(trajectory["steps"]).map(fieldsOf);
  const first = steps.findIndex((step) => isReply(step) && step["is_copied_context"] !== true);
  const start = first === -1 ? steps.length : first;
  const prompt = steps.slice(0, start).flatMap(messagesOf);
  const own = steps.slice(start);
  const totals = fieldsOf(trajectory["final_metrics"]);
  const agent = fieldsOf(trajectory["agent"]);
  const known: TrajectoryFacts = { ...fieldsOf(fieldsOf(trajectory["extra"])["envs"]), ...facts };
  const read = readRow({
    stop_condition: "end",
    token_usage: usageRow({
      prompt_tokens: totals["total_prompt_tokens"],
      completion_tokens: totals["total_completion_tokens"],
      cached_tokens: totals["total_cached_tokens"],
      cost_usd: totals["total_cost_usd"],
    }),
    ...known,
    prompt,
    completion: own.flatMap(messagesOf),
    trajectory: own.filter(isReply).map(callOf),
    branches: branchesOf(trajectory, own),
    tool_defs: toolsOf(agent["tool_definitions"]),
  });
  return { ...read, isUnscored: known.reward === undefined && known.error === undefined };
}

function isReply({ source }: Fields): boolean {
  return source === "agent";
}

/** The messages of a step: what its source said, and what the tools of an agent returned. */
function messagesOf(step: Fields): readonly Fields[] {
  const { source, message, reasoning_content: reasoning, tool_calls: calls } = step;
  const results = listOf(fieldsOf(step["observation"])["results"]).map(fieldsOf);
  const said = {
    role: source === "agent" ? "assistant" : source === "system" ? "system" : "user",
    content: contentOf(message),
    ...(typeof reasoning === "string" && { reasoning_content: reasoning }),
    ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls.map(toolCallOf) }),
  };
  return [said, ...results.map(resultOf)];
}

function toolCallOf(call: unknown): Fields {
  const { tool_call_id: id, function_name: name, arguments: input } = fieldsOf(call);
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** What an action returned. Without the id of a call, it is what the agent's terminal or its framework reported. */
function resultOf(result: Fields): Fields {
  const { source_call_id: id, content, subagent_trajectory_ref: agents } = result;
  const names = listOf(agents)
    .map(fieldsOf)
    .map((agent) => textOf(agent["trajectory_id"]) ?? textOf(agent["trajectory_path"]));
  const shown = contentOf(content ?? (names.length === 0 ? "" : `[sub-agent ${names.join(", ")}]`));
  return typeof id === "string"
    ? { role: "tool", tool_call_id: id, content: shown }
    : { role: "user", content: shown };
}

/** Text, or parts. A file that was not read shows its path. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map(fieldsOf).map((part) => {
    if (part["type"] === "text") return part;
    const { media_type: type, path } = fieldsOf(part["source"]);
    const address = textOf(path) ?? "";
    if (part["type"] === "image" && /^(?:https?|data):/u.test(address))
      return { type: "image_url", image_url: { url: address } };
    const sound = /^data:audio\/([a-z]+);base64,(.*)$/su.exec(address);
    if (sound !== null)
      return {
        type: "input_audio",
        input_audio: { data: sound[2], format: sound[1] === "mpeg" ? "mp3" : sound[1] },
      };
    return { type: "text", text: `[${textOf(type) ?? "file"} ${address}]` };
  });
}

/** The facts of the model call behind a reply. */
function callOf(step: Fields): Fields {
  const metrics = fieldsOf(step["metrics"]);
  const { prompt_token_ids: promptIds, completion_token_ids: ids, logprobs } = metrics;
  const hasCalls = listOf(step["tool_calls"]).length > 0;
  return {
    finish_reason: hasCalls ? "tool_calls" : "stop",
    usage: usageRow(metrics),
    tokens: { prompt_ids: promptIds, completion_ids: ids, completion_logprobs: logprobs },
  };
}

/** The prompt's tokens include those from the cache. */
function usageRow(metrics: Fields): Fields | null {
  const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached } = metrics;
  if (numberOf(input) === undefined && numberOf(output) === undefined) return null;
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cached,
    cost: metrics["cost_usd"],
  };
}

/** The replies of embedded sub-agents, each with the messages before it, at the turn that refers to its agent. */
function branchesOf(trajectory: Fields, own: readonly Fields[]): readonly Fields[] | undefined {
  const agents = listOf(trajectory["subagent_trajectories"]).map(fieldsOf);
  if (agents.length === 0) return undefined;
  const replies = own.filter(isReply);
  return agents.flatMap((agent) => {
    const id = agent["trajectory_id"];
    const turn = replies.findIndex((reply) => refersTo(reply, id));
    const name = textOf(fieldsOf(agent["agent"])["name"]) ?? "sub-agent";
    const steps = listOf(agent["steps"]).map(fieldsOf);
    return steps.flatMap((step, index) => {
      if (!isReply(step) || step["is_copied_context"] === true) return [];
      const [message] = messagesOf(step);
      const branch = {
        turn: turn === -1 ? null : turn,
        sub_model: name,
        messages: steps.slice(0, index).flatMap(messagesOf),
        message,
      };
      return [Object.assign(branch, callOf(step))];
    });
  });
}

function refersTo(step: Fields, id: unknown): boolean {
  return listOf(fieldsOf(step["observation"])["results"])
    .flatMap((result) => listOf(fieldsOf(result)["subagent_trajectory_ref"]))
    .some((agent) => fieldsOf(agent)["trajectory_id"] === id);
}

/** The tools that the agent declared, in the form of OpenAI's functions. */
function toolsOf(tools: unknown): readonly Fields[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  return tools.map((tool) => fieldsOf(fieldsOf(tool)["function"] ?? tool));
}
