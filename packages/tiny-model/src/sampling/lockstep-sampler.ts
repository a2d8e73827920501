import { random, type Random } from "@envs/core";

import type { DecodeStep } from "../engine/decode-steps.ts";
import { drawToken, mostProbable } from "./draw-token.ts";
import type { Completion, SampleRequest } from "./sampler.ts";

interface ActiveCompletion {
  readonly request: SampleRequest;
  readonly slot: Slot;
  readonly source: Random;
  readonly ids: number[];
  readonly logprobs: number[];
  finish: Completion["finish"] | undefined;
}

/** Reads tokens of many conversations at once, and keeps what later tokens need. */
export interface StepReader {
  /** Number of conversations that it remembers. */
  readonly slots: number;
  /** Maximum number of tokens per `read`. */
  readonly capacity: number;
  /** Returns the next-token probabilities of each last step: one row of `columns` numbers per step, valid until the next call. */
  read(steps: readonly DecodeStep[]): { rows: Float32Array; columns: number };
  /** Copies what a slot remembers to another. Optional: without it, equal prompts are read once for each conversation. */
  copy?(from: number, to: number): void;
}

interface LockstepSamplerOptions {
  readonly vocabulary: number;
  readonly context: number;
  readonly stopIds: readonly number[];
}

/** Samples many completions in lockstep. A completion does not depend on the others of its batch. */
export class LockstepSampler {
  readonly #decoder: StepReader;
  readonly #slots: Slots;
  readonly #options: LockstepSamplerOptions;

  constructor(decoder: StepReader, options: LockstepSamplerOptions) {
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
    if (this.#decoder.copy !== undefined) this.#sharePrompts(all);
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

  /** Reads equal prompts once, apart from the last token, which each conversation must read. */
  #sharePrompts(all: readonly ActiveCompletion[]): void {
    const isNew = all.filter(({ slot }) => slot.ids.length === 0);
    const groups = Map.groupBy(isNew, ({ request }) => request.promptIds.join());
    const shared = [...groups.values()].filter((group) => group.length > 1);
    const leaders = shared.map(([first]) => first!);
    this.#read(
      leaders.map((completion) => ({
        completion,
        ids: completion.request.promptIds.slice(0, -1),
        isOpen: true,
      })),
    );
    for (const [{ slot: from }, ...others] of shared as [ActiveCompletion, ...ActiveCompletion[]][])
      for (const { slot } of others) {
        this.#decoder.copy!(from.index, slot.index);
        slot.ids = [...from.ids];
      }
  }

  /** Reads the new tokens of each conversation, in batches of the decoder's capacity, and draws the next tokens. */
  #read(
    inputs: readonly {
      readonly completion: ActiveCompletion;
      readonly ids: readonly number[];
      /** The prompt goes on, so that no token is drawn. */
      readonly isOpen?: boolean;
    }[],
  ): void {
    let steps: DecodeStep[] = [];
    let ends: ActiveCompletion[] = [];
    const flush = (): void => {
      if (steps.length > 0) this.#drawAll(steps, ends);
      steps = [];
      ends = [];
    };
    for (const { completion, ids, isOpen = false } of inputs) {
      const { slot, request } = completion;
      for (const [index, id] of ids.entries()) {
        const isLast = !isOpen && index === ids.length - 1;
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

/** The cached conversation of one slot of the decoder. */
interface Slot {
  readonly index: number;
  /** The tokens whose keys and values are cached, from the first token of the conversation. */
  ids: number[];
  session: number | undefined;
}

/** Assigns slots of the decoder to conversations; evicts the least recently used conversation. */
class Slots {
  readonly count: number;
  /** The slots, from the least to the most recently used. */
  readonly #order: Set<Slot>;
  readonly #sessions = new Map<number, Slot>();

  constructor(count: number) {
    this.count = count;
    this.#order = new Set(
      Array.from({ length: count }, (_, index) => ({ index, ids: [], session: undefined })),
    );
  }

  /**
   * Assigns a slot to each of at most `count` requests: the slot of its session, else the least recently used one. Only
   * one request of a session keeps the session's slot.
   */
  assign(requests: readonly Pick<SampleRequest, "session" | "promptIds">[]): Slot[] {
    const assigned = new Set<Slot>();
    return requests.map(({ session, promptIds }) => {
      const slot = this.#find(session, assigned);
      assigned.add(slot);
      // Assigned slots move to the end, so that the first slot is always free.
      this.#order.delete(slot);
      this.#order.add(slot);
      // The decoder must read the last token again to compute the distribution of the next one.
      const maxShared = Math.min(slot.ids.length, promptIds.length - 1);
      let shared = 0;
      while (shared < maxShared && slot.ids[shared] === promptIds[shared]) shared += 1;
      slot.ids.length = shared;
      return slot;
    });
  }

  #find(session: number | undefined, assigned: ReadonlySet<Slot>): Slot {
    const known = session === undefined ? undefined : this.#sessions.get(session);
    if (known !== undefined && !assigned.has(known)) return known;
    const [leastRecent] = this.#order;
    const slot = leastRecent!;
    if (slot.session !== undefined) this.#sessions.delete(slot.session);
    slot.session = known === undefined ? session : undefined;
    slot.ids = [];
    if (slot.session !== undefined) this.#sessions.set(slot.session, slot);
    return slot;
  }

  /** Drops all cached keys and values. */
  clear(): void {
    for (const slot of this.#order) slot.ids = [];
  }
}
