import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Completion, SampleRequest } from "../../src/backend.ts";
import { distance } from "../engine/desk.ts";
import { small } from "./running.ts";
import { request, smallCheckpoint, textOf } from "./small.ts";

/** What one request gets from a model that was never asked anything else. */
async function alone(asked: SampleRequest): Promise<Completion> {
  const backend = await small();
  return (await backend.sample([asked]))[0]!;
}

const requests = fc.record({
  promptIds: fc
    .tuple(fc.nat(50), fc.integer({ min: 1, max: 40 }))
    .map(([seed, length]) => textOf(seed, length)),
  maxTokens: fc.integer({ min: 1, max: 30 }),
  temperature: fc.constantFrom(0, 0.5, 1, 1.4),
  topP: fc.constantFrom(0.6, 1),
  seed: fc.nat(1000),
});

describe("what is sampled", () => {
  test("has the log-probabilities that training gives it", async () => {
    const backend = await small();
    for (const temperature of [0.6, 1, 1.5]) {
      const prompts = [3, 20, 31].map((length) => textOf(length, length));
      const completions = await backend.sample(
        prompts.map((promptIds, seed) => request({ promptIds, temperature, seed, maxTokens: 16 })),
      );
      const forwards = await backend.forward(
        completions.map(({ ids }, at) => {
          const all = [...prompts[at]!, ...ids];
          return {
            inputs: Int32Array.from(all.slice(0, -1)),
            targets: Int32Array.from(all.slice(1)),
            weights: new Float32Array(all.length - 1).fill(1),
            temperature,
          };
        }),
      );
      for (const [at, { logprobs }] of completions.entries())
        expect(
          distance([...logprobs], [...forwards[at]!.logprobs.subarray(prompts[at]!.length - 1)]),
        ).toBeLessThan(1e-5);
    }
  });

  test("does not depend on which others are sampled with it, nor on what was sampled before", async () => {
    const backend = await small();
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 20 }), async (all) => {
        const together = await backend.sample(all);
        const one = await backend.sample([all.at(-1)!]);
        expect(together.at(-1)).toEqual(one[0]);
      }),
      { numRuns: 20 },
    );
    const asked = request({ promptIds: textOf(9, 9) });
    expect((await backend.sample([asked]))[0]).toEqual(await alone(asked));
  });

  test("does not depend on how many conversations are remembered", async () => {
    const all = Array.from({ length: 11 }, (_, seed) =>
      request({ promptIds: textOf(seed, 5 + seed), seed, session: seed }),
    );
    const found = [];
    for (const slots of [1, 3, 64]) {
      const backend = await small({ slots });
      const first = await backend.sample(all);
      const second = await backend.sample(
        all.map((each, at) => ({
          ...each,
          promptIds: [...each.promptIds, ...first[at]!.ids, ...textOf(at, 3)],
        })),
      );
      found.push([first, second]);
    }
    expect(found[0]).toEqual(found[2]);
    expect(found[1]).toEqual(found[2]);
  });

  test("is the same with the same seed, and differs with others", async () => {
    const backend = await small();
    const [first, same, other] = await backend.sample([request(), request(), request({ seed: 6 })]);
    expect(same).toEqual(first);
    expect(other!.ids).not.toEqual(first!.ids);
  });

  test("follows changed weights, also where a conversation goes on", async () => {
    const checkpoint = smallCheckpoint();
    const changed = {
      ...checkpoint,
      state: { ...checkpoint.state, weights: checkpoint.state.weights.map((value) => value * 1.5) },
    };
    const backend = await small({}, changed);
    const trained = await small({}, checkpoint);
    const asked = request({ session: 1, temperature: 0 });
    await trained.sample([asked]);
    // One step with a huge decay is a way to scale all weights by 1.5 without a file.
    await trained.optimStep({
      learningRate: 1,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: -0.5,
      clipNorm: 0,
    });
    expect(await trained.sample([asked])).toEqual(await backend.sample([asked]));
  });
});

describe("a session", () => {
  test("goes on where it was, also where its last words were changed", async () => {
    const backend = await small();
    const start = request({ promptIds: textOf(4, 12), session: 7 });
    const [first] = await backend.sample([start]);
    const said = [...start.promptIds, ...first!.ids];
    for (const promptIds of [
      [...said, 3, 4, 5],
      [...said.slice(0, -2), 9],
      said.slice(0, 5),
      [11, 12],
      said,
    ]) {
      const asked = request({ promptIds, session: 7, seed: promptIds.length });
      expect((await backend.sample([asked]))[0]).toEqual(await alone({ ...asked, session: 0 }));
    }
  });

  test("may come several times in one batch", async () => {
    const backend = await small();
    await backend.sample([request({ session: 3 })]);
    const all = [1, 2, 3].map((seed) =>
      request({ promptIds: [...textOf(1, 7), seed], session: 3, seed }),
    );
    const together = await backend.sample(all);
    for (const [at, asked] of all.entries()) expect(together[at]).toEqual(await alone(asked));
  });
});

describe("temperature 0", () => {
  test("takes the most probable token each time, whatever the seed", async () => {
    const backend = await small();
    const [first, other] = await backend.sample([
      request({ temperature: 0 }),
      request({ temperature: 0, seed: 99, topP: 0.5 }),
    ]);
    expect(other).toEqual(first);
    // No other token would have been more probable.
    const { promptIds } = request();
    for (const [at, id] of first!.ids.entries()) {
      const before = [...promptIds, ...first!.ids.slice(0, at)];
      const forwards = await backend.forward(
        Array.from({ length: 77 }, (_, target) => ({
          inputs: Int32Array.from(before),
          targets: new Int32Array(before.length).fill(target),
          weights: new Float32Array(before.length).fill(0).fill(1, -1),
        })),
      );
      const logprobs = forwards.map((forward) => forward.logprobs.at(-1)!);
      expect(logprobs.indexOf(Math.max(...logprobs))).toBe(id);
      // As other servers tell it: how probable it was at temperature 1, not that it was certain.
      expect(first!.logprobs[at]).toBeCloseTo(logprobs[id]!, 5);
    }
  });
});

describe("a completion ends", () => {
  test("with a stop token, which is part of it", async () => {
    const backend = await small();
    const [stop] = backend.renderer.stopIds;
    const completions = await backend.sample(
      Array.from({ length: 60 }, (_, seed) => request({ seed, maxTokens: 30 })),
    );
    const stopped = completions.filter(({ finish }) => finish === "stop");
    expect(stopped.length).toBeGreaterThan(0);
    for (const { ids, logprobs, finish } of completions) {
      expect(ids.indexOf(stop!)).toBe(finish === "stop" ? ids.length - 1 : -1);
      expect(logprobs).toHaveLength(ids.length);
    }
  });

  test("after maxTokens, or where the context ends", async () => {
    const backend = await small();
    const [stop] = backend.renderer.stopIds;
    const completions = await backend.sample(
      [1, 20, 46, 47].map((length) =>
        request({ promptIds: textOf(2, length), maxTokens: 40, seed: length }),
      ),
    );
    for (const [at, room] of [40, 28, 2, 1].entries()) {
      const { ids, finish } = completions[at]!;
      if (ids.at(-1) === stop) continue;
      expect(finish).toBe("length");
      expect(ids).toHaveLength(room);
    }
    expect(completions.some(({ finish }) => finish === "length")).toBe(true);
  });
});

describe("what a model cannot continue is refused", () => {
  test.each<[Partial<SampleRequest>, RegExp]>([
    [{ promptIds: [] }, /is empty. Begin it with at least one token/],
    [
      { promptIds: textOf(1, 48) },
      /has 48 tokens, and the model reads 48 at most, its reply included/,
    ],
    [{ promptIds: [1, 77] }, /the token 77, and the model knows the tokens from 0 to 76/],
    [{ promptIds: [-1] }, /the token -1/],
    [{ promptIds: [1.5] }, /the token 1.5/],
    [{ maxTokens: 0 }, /maxTokens 0/],
    [{ maxTokens: Number.NaN }, /maxTokens NaN/],
    [{ temperature: -1 }, /temperature -1/],
    [{ temperature: Number.NaN }, /temperature NaN/],
    [{ topP: 0 }, /topP 0/],
    [{ topP: 1.1 }, /topP 1.1/],
    [{ session: -1 }, /session -1/],
  ])("%j", async (given, message) => {
    const backend = await small();
    await expect(backend.sample([request(), request(given)])).rejects.toThrow(message);
    expect(await backend.sample([request()])).toHaveLength(1);
  });
});
