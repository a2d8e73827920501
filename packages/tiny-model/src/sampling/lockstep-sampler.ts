import { random, type Random } from "@envs/core";

import type { DecodeStep, Decoder } from "../engine/decoder.ts";
import { drawToken, mostProbable } from "./draw-token.ts";
import type { Completion, SampleRequest } from "./sampler.ts";
import { type Slot, Slots } from "./slots.ts";

interface ActiveCompletion {
  readonly request: SampleRequest;
  readonly slot: Slot;
  readonly source: Random;
  readonly ids: number[];
  readonly logprobs: number[];
  finish: Completion["finish"] | undefined;
}

interface LockstepSamplerOptions {
  readonly vocabulary: number;
  readonly context: number;
  readonly stopIds: readonly number[];
}

/** Samples many completions in lockstep. A completion does not depend on the others of its batch. */
export class LockstepSampler {
  readonly #decoder: Decoder;
  readonly #slots: Slots;
  readonly #options: LockstepSamplerOptions;

  constructor(decoder: Decoder, options: LockstepSamplerOptions) {
    this.#decoder = decoder;
    this.#slots = new Slots(decoder.slots);
    this.#options = options;
  }

  sample(requests: readonly SampleRequest[]): Completion[] {
    const completions: Completion[] = [];
    for (let start = 0; start < requests.length; start += this.#slots.count)
      completions.push(...this.#sampleBatch(requests.slice(start, start + this.#slots.count)));
    return completions;
  }

  /** Call it after each change of the weights. */
  invalidate(): void {
    this.#slots.clear();
  }

  #sampleBatch(requests: readonly SampleRequest[]): Completion[] {
    const slots = this.#slots.assign(requests);
    const all = requests.map((request, index): ActiveCompletion => {
      const source = random(request.seed);
      return { request, slot: slots[index]!, source, ids: [], logprobs: [], finish: undefined };
    });
    this.#read(
      all.map((completion) => ({
        completion,
        ids: completion.request.promptIds.slice(completion.slot.ids.length),
      })),
    );
    for (;;) {
      const active = all.filter(({ finish }) => finish === undefined);
      if (active.length === 0) break;
      this.#read(active.map((completion) => ({ completion, ids: completion.ids.slice(-1) })));
    }
    return all.map(({ ids, logprobs, finish = "length" }) => ({ ids, logprobs, finish }));
  }

  /** Reads the new tokens of each conversation, in batches of the decoder's capacity, and draws the next tokens. */
  #read(
    inputs: readonly { readonly completion: ActiveCompletion; readonly ids: readonly number[] }[],
  ): void {
    let steps: DecodeStep[] = [];
    let ends: ActiveCompletion[] = [];
    const flush = (): void => {
      if (steps.length > 0) this.#drawAll(steps, ends);
      steps = [];
      ends = [];
    };
    for (const { completion, ids } of inputs) {
      const { slot, request } = completion;
      for (const [index, id] of ids.entries()) {
        const isLast = index === ids.length - 1;
        const { temperature } = request;
        steps.push({ id, slot: slot.index, position: slot.ids.length, isLast, temperature });
        slot.ids.push(id);
        if (isLast) ends.push(completion);
        if (steps.length === this.#decoder.capacity) flush();
      }
    }
    flush();
  }

  #drawAll(steps: readonly DecodeStep[], ends: readonly ActiveCompletion[]): void {
    const { vocabulary, stopIds, context } = this.#options;
    const { rows, columns } = this.#decoder.read(steps);
    for (const [index, completion] of ends.entries()) {
      const { request, source } = completion;
      const probabilities = rows.subarray(index * columns, index * columns + vocabulary);
      const { id, logprob } =
        request.temperature === 0
          ? mostProbable(probabilities)
          : drawToken(probabilities, request.topP, source);
      completion.ids.push(id);
      completion.logprobs.push(logprob);
      const room = Math.min(request.maxTokens, context - request.promptIds.length);
      if (stopIds.includes(id)) completion.finish = "stop";
      else if (completion.ids.length >= room) completion.finish = "length";
    }
  }
}
