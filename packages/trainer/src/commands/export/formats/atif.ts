import { createHash } from "node:crypto";

import type { Content, ContentPart, Message, Rollout, ToolCall, Turn } from "@envs/core";
import {
  asMessages,
  omitUndefined,
  parseDataUrl,
  type ToolSpec,
  type Usage,
} from "@envs/core/engine";
import { sidesOf } from "@envs/records";

import type { ExportFile, ExportResult } from "../export-files.ts";
import { matchingRollouts } from "../filter-rollouts.ts";
import type { RunSource } from "../run-source.ts";
import type { SftOptions } from "./sft.ts";

type Json = Readonly<Record<string, unknown>>;
type File = ExportFile<string | Uint8Array>;

const version = "ATIF-v1.8";
const images: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/**
 * Exports rollouts as trajectories in ATIF, the Agent Trajectory Interchange Format of Harbor: a file for each rollout, failed ones too,
 * with `seats` for each seat that a model has played. What ATIF has no field for, such as the reward, is `extra.envs`.
 */
export function atif(
  { rollouts, clauses, tools, model }: RunSource,
  { seats = false }: Pick<SftOptions, "seats"> = {},
): ExportResult<string | Uint8Array> {
  const kept = matchingRollouts({
    rollouts: seats ? rollouts.flatMap(sidesOf) : rollouts,
    clauses,
  });
  const media = new Map<string, File>();
  const files = kept.map((rollout): File => {
    const writer = new StepWriter(media);
    const trajectory = trajectoryOf(rollout, { model, tools, writer });
    return { path: nameOf(rollout), text: `${JSON.stringify(trajectory, undefined, 2)}\n` };
  });
  return { files: [...files, ...media.values()] };
}

function nameOf({ exampleIndex, rolloutIndex, seat }: Rollout): string {
  const side = seat === undefined ? "" : `-${seat.replaceAll(/[^\w.-]+/gu, "_")}`;
  return `${exampleIndex}-${rolloutIndex}${side}.json`;
}

interface Source {
  readonly model: string;
  readonly tools: readonly ToolSpec[] | undefined;
  readonly writer: StepWriter;
}

function trajectoryOf(rollout: Rollout, { model, tools, writer }: Source): Json {
  const { prompt, completion, trajectory, branches = [], usage } = rollout;
  writer.add(asMessages(prompt), { isCopied: true });
  writer.add(completion, { turns: trajectory });
  const specs = rollout.toolSpecs ?? tools;
  const id = `${rollout.environment}/${rollout.exampleKey}/${rollout.rolloutIndex}`;
  const agents = branches.map(({ subModel, messages, message, ...call }, index) => {
    const own = new StepWriter(writer.media);
    own.add(messages, { isCopied: true });
    own.add([message], {
      turns: [{ ...call, message, seen: messages.length, environment: call.model }],
    });
    return {
      schema_version: version,
      trajectory_id: `${id}/${index}`,
      agent: { name: subModel, version: "unknown" },
      steps: own.steps,
    };
  });
  for (const [index, { turn }] of branches.entries()) writer.refer(turn, `${id}/${index}`);
  return omitUndefined({
    schema_version: version,
    session_id: id,
    trajectory_id: id,
    agent: omitUndefined({
      name: "envs",
      version: "unknown",
      model_name: model,
      tool_definitions: specs?.map((spec) => ({ type: "function", function: spec })),
    }),
    steps: writer.steps,
    final_metrics: omitUndefined({ ...totalsOf(usage), total_steps: writer.steps.length }),
    subagent_trajectories: agents.length === 0 ? undefined : agents,
    extra: { envs: factsOf(rollout) },
  });
}

/** The fields of a row that ATIF has no place for. `envs run import` reads them. */
function factsOf(rollout: Rollout): Json {
  const { environment, exampleIndex, exampleKey, rolloutIndex, isTruncated } = rollout;
  return omitUndefined({
    environment,
    example_id: exampleIndex,
    example_key: exampleKey,
    rollout_index: rolloutIndex,
    seat: rollout.seat,
    is_truncated: isTruncated,
    ...(rollout.status === "scored"
      ? { reward: rollout.reward, metrics: rollout.scores, stop_condition: rollout.stopReason }
      : { error: { code: rollout.error.code, message: rollout.error.message } }),
  });
}

function totalsOf(usage: Usage | undefined): Json {
  return {
    total_prompt_tokens: usage?.inputTokens,
    total_completion_tokens: usage?.outputTokens,
    total_cached_tokens: usage?.cacheReadTokens,
  };
}

interface Conversation {
  /** What the agent did not write in this rollout. */
  readonly isCopied?: boolean;
  readonly turns?: readonly Turn[];
}

/** Converts messages to steps. The result of a tool belongs to the step of its call. */
class StepWriter {
  readonly steps: Record<string, unknown>[] = [];
  readonly media: Map<string, File>;
  readonly #replies: Record<string, unknown>[] = [];

  constructor(media: Map<string, File>) {
    this.media = media;
  }

  add(messages: readonly Message[], { isCopied = false, turns = [] }: Conversation): void {
    let replies = 0;
    for (const message of messages) {
      if (message.role === "tool" && this.#addResult(message)) continue;
      const step: Record<string, unknown> = { step_id: this.steps.length + 1 };
      if (message.role !== "assistant") {
        step["source"] = message.role === "system" ? "system" : "user";
        step["message"] = this.#contentOf(message.content);
      } else {
        const turn = turns[replies++];
        const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
        Object.assign(
          step,
          omitUndefined({
            source: "agent",
            message: content,
            reasoning_content: reasoning,
            tool_calls: calls.length === 0 ? undefined : calls.map(callOf),
            metrics: turn && metricsOf(turn),
            llm_call_count: turn && 1,
          }),
        );
        if (!isCopied) this.#replies.push(step);
      }
      if (isCopied && message.role === "assistant") step["is_copied_context"] = true;
      this.steps.push(step);
    }
  }

  /** Notes that a sub-agent worked in a turn. */
  refer(turn: number | undefined, id: string): void {
    const step = this.#replies[turn ?? -1] ?? this.#replies.at(-1);
    if (step === undefined) return;
    resultsOf(step).push({ subagent_trajectory_ref: [{ trajectory_id: id }] });
  }

  #addResult({ tool_call_id: id, content }: Extract<Message, { role: "tool" }>): boolean {
    const step = this.steps.findLast(({ source }) => source === "agent");
    const calls = (step?.["tool_calls"] ?? []) as readonly { tool_call_id: string }[];
    if (step === undefined || !calls.some((call) => call.tool_call_id === id)) return false;
    resultsOf(step).push({ source_call_id: id, content: this.#contentOf(content) });
    return true;
  }

  #contentOf(content: Content): unknown {
    return typeof content === "string" ? content : content.map((part) => this.#partOf(part));
  }

  #partOf(part: ContentPart): Json {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "file") return { type: "text", text: `[file ${part.file.filename ?? ""}]` };
    if (part.type === "input_audio") {
      const { data, format } = part.input_audio;
      const type = format === "mp3" ? "audio/mpeg" : `audio/${format}`;
      return {
        type: "audio",
        source: { media_type: type, path: this.#store(Buffer.from(data, "base64"), format) },
      };
    }
    const { url } = part.image_url;
    const image = parseDataUrl(url);
    if (image === undefined)
      return { type: "image", source: { media_type: "image/png", path: url } };
    if (!images.has(image.mediaType)) return { type: "text", text: `[${image.mediaType}]` };
    const extension = image.mediaType.slice("image/".length);
    const path = this.#store(Buffer.from(image.base64, "base64"), extension);
    return { type: "image", source: { media_type: image.mediaType, path } };
  }

  #store(bytes: Uint8Array, extension: string): string {
    const path = `media/${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
    this.media.set(path, { path, text: bytes });
    return path;
  }
}

function resultsOf(step: Record<string, unknown>): unknown[] {
  const observation = (step["observation"] ??= { results: [] }) as { results: unknown[] };
  return observation.results;
}

/** If the arguments are not a JSON object, the call has an empty one, and the text of the model beside it. */
function callOf({ id, function: { name, arguments: text } }: ToolCall): Json {
  const input = objectOf(text);
  const call = { tool_call_id: id, function_name: name, arguments: input ?? {} };
  return input === undefined ? { ...call, extra: { arguments: text } } : call;
}

function objectOf(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Json)
      : undefined;
  } catch {
    return undefined;
  }
}

function metricsOf({ usage, tokens, finish }: Turn): Json {
  return omitUndefined({
    prompt_tokens: usage?.inputTokens,
    completion_tokens: usage?.outputTokens,
    cached_tokens: usage?.cacheReadTokens,
    prompt_token_ids: tokens?.promptIds,
    completion_token_ids: tokens?.completionIds,
    logprobs: tokens?.completionLogprobs,
    extra: { finish_reason: finish },
  });
}
