import { random, type Random } from "@envs/core";

import type { Completion, SampleRequest } from "../backend.ts";
import type { Decoder, Step } from "../engine/decoder.ts";
import { draw, mostProbable } from "./choose.ts";
import { type Slot, Slots } from "./slots.ts";

interface Running {
  readonly request: SampleRequest;
  readonly slot: Slot;
  readonly source: Random;
  readonly ids: number[];
  readonly logprobs: number[];
  finish: Completion["finish"] | undefined;
}

interface SamplerOptions {
  readonly vocabulary: number;
  readonly context: number;
  readonly stopIds: readonly number[];
}

/** Continues many texts in lockstep. What it draws for one does not depend on which others it continues. */
export class Sampler {
  readonly #decoder: Decoder;
  readonly #slots: Slots;
  readonly #options: SamplerOptions;

  constructor(decoder: Decoder, options: SamplerOptions) {
    this.#decoder = decoder;
    this.#slots = new Slots(decoder.slots);
    this.#options = options;
  }

  sample(requests: readonly SampleRequest[]): Completion[] {
    const completions: Completion[] = [];
    for (let start = 0; start < requests.length; start += this.#slots.count)
      completions.push(...this.#wave(requests.slice(start, start + this.#slots.count)));
    return completions;
  }

  /** To be called after the weights were changed. */
  forget(): void {
    this.#slots.clear();
  }

  #wave(requests: readonly SampleRequest[]): Completion[] {
    const slots = this.#slots.take(requests);
    const all = requests.map((request, index): Running => {
      const source = random(request.seed);
      return { request, slot: slots[index]!, source, ids: [], logprobs: [], finish: undefined };
    });
    this.#read(
      all.map((running) => ({
        running,
        ids: running.request.promptIds.slice(running.slot.ids.length),
      })),
    );
    for (;;) {
      const active = all.filter(({ finish }) => finish === undefined);
      if (active.length === 0) break;
      this.#read(active.map((running) => ({ running, ids: running.ids.slice(-1) })));
    }
    return all.map(({ ids, logprobs, finish = "length" }) => ({ ids, logprobs, finish }));
  }

  /** Reads what is new of each conversation, in calls that the decoder has room for, and draws what follows. */
  #read(news: readonly { readonly running: Running; readonly ids: readonly number[] }[]): void {
    let steps: Step[] = [];
    let ends: Running[] = [];
    const flush = (): void => {
      if (steps.length > 0) this.#drawAll(steps, ends);
      steps = [];
      ends = [];
    };
    for (const { running, ids } of news) {
      const { slot, request } = running;
      for (const [index, id] of ids.entries()) {
        const isLast = index === ids.length - 1;
        const { temperature } = request;
        steps.push({ id, slot: slot.index, position: slot.ids.length, isLast, temperature });
        slot.ids.push(id);
        if (isLast) ends.push(running);
        if (steps.length === this.#decoder.capacity) flush();
      }
    }
    flush();
  }

  #drawAll(steps: readonly Step[], ends: readonly Running[]): void {
    const { vocabulary, stopIds, context } = this.#options;
    const { rows, columns } = this.#decoder.read(steps);
    for (const [index, running] of ends.entries()) {
      const { request, source } = running;
      const probabilities = rows.subarray(index * columns, index * columns + vocabulary);
      const { id, logprob } =
        request.temperature === 0
          ? mostProbable(probabilities)
          : draw(probabilities, request.topP, source);
      running.ids.push(id);
      running.logprobs.push(logprob);
      const room = Math.min(request.maxTokens, context - request.promptIds.length);
      if (stopIds.includes(id)) running.finish = "stop";
      else if (running.ids.length >= room) running.finish = "length";
    }
  }
}
