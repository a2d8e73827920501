import type { RolloutErrorCode } from "@envs/core";

import { type Fields, fieldsOf, listOf, numberOf, textOf } from "./json.ts";
import type { TrajectoryFacts } from "./read-trajectory.ts";

/** What the `result.json` of a trial of Harbor says of its rollout. A trial whose verifier failed is a failed rollout, never 0. */
export function trialFacts(result: Fields): TrajectoryFacts {
  const exception = [result, ...listOf(result["step_results"]).map(fieldsOf)]
    .map((part) => fieldsOf(part["exception_info"]))
    .find((info) => Object.keys(info).length > 0);
  const rewards = rewardsOf(result);
  const isValid = rewards !== undefined && result["reward_valid"] !== false;
  const name = textOf(exception?.["exception_type"]);
  const usage = usageOf(result);
  return {
    environment: textOf(result["source"]),
    example_key: textOf(result["task_name"]),
    reward: isValid ? trialReward(rewards) : null,
    metrics: rewards ?? {},
    error: isValid ? null : failure(exception),
    stop_condition: name ?? "end",
    is_truncated: name !== undefined && /Timeout|Context|Length|Token/u.test(name),
    timing: timingOf(result),
    ...(usage && { token_usage: usage }),
  };
}

/** The agent of a trial and its model. */
export function trialModel(result: Fields | undefined, trajectory: Fields): string {
  const agent = fieldsOf(result?.["agent_info"] ?? trajectory["agent"]);
  const { name: model, provider } = fieldsOf(agent["model_info"]);
  const own = textOf(model) ?? textOf(agent["model_name"]);
  const label = textOf(agent["name"]) ?? "agent";
  if (own === undefined) return label;
  // This project's own export.
  if (label === "envs") return own;
  return typeof provider === "string" ? `${label}@${provider}/${own}` : `${label}@${own}`;
}

/** The verifier's finite numbers by name; of a trial with steps, the means that Harbor computed. */
function rewardsOf(result: Fields): Readonly<Record<string, number>> | undefined {
  const rewards = Object.entries(fieldsOf(fieldsOf(result["verifier_result"])["rewards"]));
  const numbers = rewards.flatMap(([name, value]) => {
    const number = numberOf(value);
    return number === undefined ? [] : [[name, number] as const];
  });
  return numbers.length === 0 ? undefined : Object.fromEntries(numbers);
}

/** The reward of a trial of Harbor: the number named `reward`, else the mean of all. */
export function trialReward(rewards: Readonly<Record<string, number>>): number {
  const values = Object.values(rewards);
  return rewards["reward"] ?? values.reduce((sum, value) => sum + value, 0) / values.length;
}

function failure(exception: Fields | undefined): Fields {
  if (exception === undefined)
    return { code: "score", message: "The trial has no reward, because its verifier did not run." };
  const name = textOf(exception["exception_type"]) ?? "Error";
  const message = textOf(exception["exception_message"]) ?? "";
  return { code: codeOf(name), message: message === "" ? name : `${name}: ${message}` };
}

/** The code for the name of an exception of Harbor. */
function codeOf(name: string): RolloutErrorCode {
  if (name.includes("Cancelled")) return "cancelled";
  if (/Verifier|Reward/u.test(name)) return "score";
  if (/^A[Pp][Ii]|RateLimit|Model|Request|Authentication|Usage/u.test(name)) return "model";
  if (name.includes("Timeout")) return "timeout";
  return name.includes("Agent") ? "agent" : "environment";
}

function usageOf(result: Fields): Fields | undefined {
  const contexts = [result, ...listOf(result["step_results"]).map(fieldsOf)]
    .map((part) => fieldsOf(part["agent_result"]))
    .filter((context) => numberOf(context["n_input_tokens"]) !== undefined);
  if (contexts.length === 0) return undefined;
  const sum = (name: string): number =>
    contexts.reduce((total, context) => total + (numberOf(context[name]) ?? 0), 0);
  return {
    input_tokens: sum("n_input_tokens"),
    output_tokens: sum("n_output_tokens"),
    cache_read_tokens: sum("n_cache_tokens"),
    cost: sum("cost_usd"),
  };
}

/** Seconds from the trial's start. */
function timingOf(result: Fields): Fields {
  const start = timeOf(result["started_at"]);
  if (start === undefined) return {};
  const span = (name: string): Fields => {
    const { started_at: from, finished_at: to } = fieldsOf(result[name]);
    const [begun, ended] = [timeOf(from), timeOf(to)];
    if (begun === undefined || ended === undefined) return {};
    return { start: (begun - start) / 1000, end: (ended - start) / 1000 };
  };
  return {
    setup: span("environment_setup"),
    generation: span("agent_execution"),
    scoring: span("verifier"),
  };
}

function timeOf(value: unknown): number | undefined {
  const time = Date.parse(textOf(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}
