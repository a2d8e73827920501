import type { Completion, SampleRequest } from "../sampling/sampler.ts";

/** Requests as typed arrays: threads copy those many times as fast as lists and objects. */
export interface SampleMessage {
  /** The tokens of all prompts, concatenated. */
  readonly ids: Int32Array;
  readonly lengths: Int32Array;
  /** For each request: maxTokens, temperature, topP, seed, and the session or −1. */
  readonly settings: Float64Array;
}

/** Completions as typed arrays. */
export interface CompletionsMessage {
  /** The tokens of all completions, concatenated. */
  readonly ids: Int32Array;
  readonly logprobs: Float64Array;
  readonly lengths: Int32Array;
  /** 1 for each completion that ended with a stop token. */
  readonly isStopped: Uint8Array;
}

const settingCount = 5;

export function packRequests(requests: readonly SampleRequest[]): SampleMessage {
  const settings = new Float64Array(requests.length * settingCount);
  for (const [index, request] of requests.entries()) {
    const { maxTokens, temperature, topP, seed, session = -1 } = request;
    settings.set([maxTokens, temperature, topP, seed, session], index * settingCount);
  }
  const prompts = requests.map(({ promptIds }) => promptIds);
  return { ids: concatenate(prompts), lengths: lengthsOf(prompts), settings };
}

export function unpackRequests({ ids, lengths, settings }: SampleMessage): SampleRequest[] {
  return split(ids, lengths).map((promptIds, index) => {
    const [maxTokens, temperature, topP, seed, session] = settings.subarray(index * settingCount);
    return {
      promptIds,
      maxTokens: maxTokens!,
      temperature: temperature!,
      topP: topP!,
      seed: seed!,
      session: session === -1 ? undefined : session,
    };
  });
}

export function packCompletions(completions: readonly Completion[]): CompletionsMessage {
  const tokens = completions.map(({ ids }) => ids);
  return {
    ids: concatenate(tokens),
    logprobs: Float64Array.from(completions.flatMap(({ logprobs }) => logprobs)),
    lengths: lengthsOf(tokens),
    isStopped: Uint8Array.from(completions, ({ finish }) => (finish === "stop" ? 1 : 0)),
  };
}

export function unpackCompletions(message: CompletionsMessage): Completion[] {
  const logprobs = split(message.logprobs, message.lengths);
  return split(message.ids, message.lengths).map((ids, index) => ({
    ids,
    logprobs: logprobs[index]!,
    finish: message.isStopped[index] === 1 ? "stop" : "length",
  }));
}

function concatenate(lists: readonly (readonly number[])[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

function lengthsOf(lists: readonly (readonly number[])[]): Int32Array {
  return Int32Array.from(lists, ({ length }) => length);
}

function split(all: Int32Array | Float64Array, lengths: Int32Array): number[][] {
  let at = 0;
  return Array.from(lengths, (length) => {
    at += length;
    return Array.from(all.subarray(at - length, at));
  });
}
