import {
  type AssistantMessage,
  type Example,
  type Message,
  type Model,
  type ModelResponse,
  random,
  RolloutError,
  type Turn,
} from "@envs/core";
import {
  asRolloutError,
  checkResponse,
  isRolloutError,
  type KeyedExample,
  now,
  omitUndefined,
  requestOf,
  type Span,
  type ToolSpec,
} from "@envs/core/engine";
import type { RecordedRollout } from "@envs/records/bundle";
import * as z from "zod";

import { BundleRejection, ReplayProblem } from "../rescoring/bundle-code.ts";
import type { BundleProcess, datasetOf } from "../rescoring/bundle-process.ts";

/** What an episode of a play needs. */
export interface EpisodeSetting {
  readonly call: BundleProcess["call"];
  readonly dataset: ReturnType<typeof datasetOf>;
  readonly seed: number;
  readonly model: Model;
  readonly sampling: Parameters<typeof requestOf>[1]["sampling"];
  readonly maxTotalTokens: number;
  /** The time limit of each reply of the model, in milliseconds. */
  readonly turnMs: number;
  readonly signal: AbortSignal;
}

/** An episode that was played to its end, or that failed before. It has no scores yet. */
export interface PlayedEpisode {
  readonly keyed: KeyedExample;
  readonly rolloutIndex: number;
  readonly recorded: RecordedRollout;
  readonly trajectory: readonly Turn[];
  readonly prompt: readonly Message[];
  readonly completion: readonly Message[];
  readonly setup: Span;
  readonly generation: Span;
  readonly error?: RolloutError | undefined;
}

/** Messages are checked with the record of the rollout. */
const view = z.looseObject({
  seat: z.string().max(100).optional(),
  messages: z.array(z.looseObject({ role: z.string() })),
  isDone: z.boolean(),
});
const started = view.extend({
  episode: z.number(),
  key: z.string().max(500),
  example: z.record(z.string(), z.unknown()),
  tools: z.array(z.looseObject({ name: z.string() })),
});

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ReplayProblem("The bundle's response is not valid. Build it with a newer envs build.");
}

/**
 * Plays a rollout of the example at a position step by step, as a player in a browser does, so that the code does not know who
 * plays. Errors of the model and of the environment are data; throws if the bundle does not answer, or has no such example.
 */
export async function playEpisode(
  setting: EpisodeSetting,
  { index, rolloutIndex }: { readonly index: number; readonly rolloutIndex: number },
): Promise<PlayedEpisode> {
  const { call, dataset, seed, maxTotalTokens } = setting;
  const start = now();
  const first = read(started, await call("start", { ...dataset, example: { index } }));
  const { episode, key, seat } = first;
  const setup = { start, end: now() };
  const prompt = first.messages as unknown as readonly Message[];
  const messages = [...prompt];
  const trajectory: Turn[] = [];
  const seeds = random(seed, key, "rollout", rolloutIndex);
  let limit: RecordedRollout["limit"];
  let outputTokens = 0;
  let isDone = first.isDone;
  let error: RolloutError | undefined;
  try {
    while (!isDone) {
      const asked = now();
      const asking = { episode, messages, tools: first.tools as unknown as readonly ToolSpec[] };
      const options = { seed: seeds.int(2 ** 31), session: `${key}/${rolloutIndex}` };
      limit = outputTokens >= maxTotalTokens ? "tokens" : undefined;
      const response = limit ?? (await askModel(setting, asking, options));
      if (typeof response === "string") {
        limit = response;
        break;
      }
      const { message, finish, usage } = response;
      const model = { start: asked, end: now() };
      const environment = { start: model.end, end: model.end };
      const turn = { seen: messages.length, message, finish, usage, model, environment };
      // Recorded before the environment answers, so that the record of a failure has the reply.
      trajectory.push({ ...turn, tokens: undefined });
      messages.push(message);
      const isTruncated = finish === "length";
      const next = read(view, await call("respond", { episode, reply: message, isTruncated }));
      messages.push(...(next.messages as unknown as readonly Message[]));
      environment.end = now();
      outputTokens += usage?.outputTokens ?? 0;
      isDone = next.isDone;
    }
    await call("close", { episode });
  } catch (thrown) {
    setting.signal.throwIfAborted();
    if (!isOfRollout(thrown)) throw thrown;
    error = asRolloutError("environment", "the environment", thrown);
    // The environment may have rejected to close the episode, too.
    await call("close", { episode }).catch(() => {});
  }
  const replies = trajectory.map(({ message, finish }) =>
    finish === "length" ? { message, isTruncated: true } : { message },
  );
  return {
    keyed: { example: first.example as unknown as Example, key, index },
    rolloutIndex,
    recorded: { replies, ...omitUndefined({ limit, seat }) },
    trajectory,
    prompt,
    completion: messages.slice(prompt.length),
    setup,
    generation: { start: setup.end, end: now() },
    error,
  };
}

/** Whether an error is of one rollout. All others end the play: the budget, a process that has ended, a failure of the hub. */
function isOfRollout(error: unknown): boolean {
  return isRolloutError(error) || error instanceof BundleRejection;
}

interface Asking {
  readonly episode: number;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
}

/** Asks the model for its next message; `context` if the conversation exceeds its context. */
async function askModel(
  { call, model, sampling, turnMs, signal }: EpisodeSetting,
  { episode, messages, tools }: Asking,
  options: { readonly seed: number; readonly session: string },
): Promise<ModelResponse | "context"> {
  const askPolicy = async (policy: string, seed: unknown, parameter?: number) => {
    const message = await call("advise", { episode, policy, seed, parameter });
    return read(assistant, message) as unknown as AssistantMessage;
  };
  const asking = { messages: [...messages], tools, workspace: undefined, askPolicy };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(turnMs)]);
  try {
    return checkResponse(await model(requestOf(asking, { ...options, sampling, signal: limited })));
  } catch (error) {
    signal.throwIfAborted();
    if (limited.aborted)
      throw new RolloutError("timeout", `The model did not reply within ${turnMs} ms.`);
    if (isRolloutError(error) && error.isOverflow) return "context";
    throw error instanceof BundleRejection ? asRolloutError("model", "the policy", error) : error;
  }
}

const assistant = z.looseObject({ role: z.literal("assistant"), content: z.string() });
