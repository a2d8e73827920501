import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Completion, SampleRequest } from "../../src/sampling/sampler.ts";
import { distance } from "../engine/scratch-memory.ts";
import { request, smallCheckpoint, tokensOf } from "../small-model.ts";
import { startSmall } from "../start-small.ts";

/** Samples with a new model. */
async function sampleAlone(sampleRequest: SampleRequest): Promise<Completion> {
  const model = await startSmall();
  return (await model.sample([sampleRequest]))[0]!;
}

const requests = fc.record({
  promptIds: fc
    .tuple(fc.nat(50), fc.integer({ min: 1, max: 40 }))
    .map(([seed, length]) => tokensOf(seed, length)),
  maxTokens: fc.integer({ min: 1, max: 30 }),
  temperature: fc.constantFrom(0, 0.5, 1, 1.4),
  topP: fc.constantFrom(0.6, 1),
  seed: fc.nat(1000),
});

describe("a completion", () => {
  test("has the log-probabilities that forward() computes", async () => {
    const model = await startSmall();
    for (const temperature of [0.6, 1, 1.5]) {
      const prompts = [3, 20, 31].map((length) => tokensOf(length, length));
      const completions = await model.sample(
        prompts.map((promptIds, seed) => request({ promptIds, temperature, seed, maxTokens: 16 })),
      );
      const forwards = await model.forward(
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

  test("does not depend on its batch, nor on earlier batches", async () => {
    const model = await startSmall();
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 20 }), async (all) => {
        const together = await model.sample(all);
        const one = await model.sample([all.at(-1)!]);
        expect(together.at(-1)).toEqual(one[0]);
      }),
      { numRuns: 20 },
    );
    const sampleRequest = request({ promptIds: tokensOf(9, 9) });
    expect((await model.sample([sampleRequest]))[0]).toEqual(await sampleAlone(sampleRequest));
  });

  test("does not depend on the number of slots", async () => {
    const all = Array.from({ length: 11 }, (_, seed) =>
      request({ promptIds: tokensOf(seed, 5 + seed), seed, session: seed }),
    );
    const results = [];
    for (const slots of [1, 3, 64]) {
      const model = await startSmall({ slots });
      const first = await model.sample(all);
      const second = await model.sample(
        all.map((each, at) => ({
          ...each,
          promptIds: [...each.promptIds, ...first[at]!.ids, ...tokensOf(at, 3)],
        })),
      );
      results.push([first, second]);
    }
    expect(results[0]).toEqual(results[2]);
    expect(results[1]).toEqual(results[2]);
  });

  test("depends on its seed", async () => {
    const model = await startSmall();
    const [first, same, other] = await model.sample([request(), request(), request({ seed: 6 })]);
    expect(same).toEqual(first);
    expect(other!.ids).not.toEqual(first!.ids);
  });

  test("follows changed weights, also within a session", async () => {
    const checkpoint = smallCheckpoint();
    const changed = {
      ...checkpoint,
      state: { ...checkpoint.state, weights: checkpoint.state.weights.map((value) => value * 1.5) },
    };
    const model = await startSmall({}, changed);
    const trained = await startSmall({}, checkpoint);
    const sampleRequest = request({ session: 1, temperature: 0 });
    await trained.sample([sampleRequest]);
    // One step with this decay multiplies all weights by 1.5.
    await trained.optimStep({
      learningRate: 1,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: -0.5,
      clipNorm: 0,
    });
    expect(await trained.sample([sampleRequest])).toEqual(await model.sample([sampleRequest]));
  });
});

describe("a session", () => {
  test("continues, also after its last tokens were changed", async () => {
    const model = await startSmall();
    const start = request({ promptIds: tokensOf(4, 12), session: 7 });
    const [first] = await model.sample([start]);
    const tokens = [...start.promptIds, ...first!.ids];
    for (const promptIds of [
      [...tokens, 3, 4, 5],
      [...tokens.slice(0, -2), 9],
      tokens.slice(0, 5),
      [11, 12],
      tokens,
    ]) {
      const sampleRequest = request({ promptIds, session: 7, seed: promptIds.length });
      expect((await model.sample([sampleRequest]))[0]).toEqual(
        await sampleAlone({ ...sampleRequest, session: 0 }),
      );
    }
  });

  test("can occur several times in one batch", async () => {
    const model = await startSmall();
    await model.sample([request({ session: 3 })]);
    const all = [1, 2, 3].map((seed) =>
      request({ promptIds: [...tokensOf(1, 7), seed], session: 3, seed }),
    );
    const together = await model.sample(all);
    for (const [at, sampleRequest] of all.entries())
      expect(together[at]).toEqual(await sampleAlone(sampleRequest));
  });
});

describe("temperature 0", () => {
  test("selects the most probable token, whatever the seed", async () => {
    const model = await startSmall();
    const [first, other] = await model.sample([
      request({ temperature: 0 }),
      request({ temperature: 0, seed: 99, topP: 0.5 }),
    ]);
    expect(other).toEqual(first);
    const { promptIds } = request();
    for (const [at, id] of first!.ids.entries()) {
      const before = [...promptIds, ...first!.ids.slice(0, at)];
      const forwards = await model.forward(
        Array.from({ length: 77 }, (_, target) => ({
          inputs: Int32Array.from(before),
          targets: new Int32Array(before.length).fill(target),
          weights: new Float32Array(before.length).fill(0).fill(1, -1),
        })),
      );
      const logprobs = forwards.map((forward) => forward.logprobs.at(-1)!);
      expect(logprobs.indexOf(Math.max(...logprobs))).toBe(id);
      // Like other servers, it reports the log-probability at temperature 1, not 0.
      expect(first!.logprobs[at]).toBeCloseTo(logprobs[id]!, 5);
    }
  });
});

describe("a completion ends", () => {
  test("with a stop token, which it includes", async () => {
    const model = await startSmall();
    const [stop] = model.renderer.stopIds;
    const completions = await model.sample(
      Array.from({ length: 60 }, (_, seed) => request({ seed, maxTokens: 30 })),
    );
    const stopped = completions.filter(({ finish }) => finish === "stop");
    expect(stopped.length).toBeGreaterThan(0);
    for (const { ids, logprobs, finish } of completions) {
      expect(ids.indexOf(stop!)).toBe(finish === "stop" ? ids.length - 1 : -1);
      expect(logprobs).toHaveLength(ids.length);
    }
  });

  test("after maxTokens, or at the end of the context", async () => {
    const model = await startSmall();
    const [stop] = model.renderer.stopIds;
    const completions = await model.sample(
      [1, 20, 46, 47].map((length) =>
        request({ promptIds: tokensOf(2, length), maxTokens: 40, seed: length }),
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

describe("rejects", () => {
  test.each<[Partial<SampleRequest>, RegExp]>([
    [{ promptIds: [] }, /an empty prompt. Pass at least one token/],
    [
      { promptIds: tokensOf(1, 48) },
      /a prompt of 48 tokens, but the model's context is 48 tokens, reply included/,
    ],
    [{ promptIds: [1, 77] }, /the token 77, but the model's tokens are 0 to 76/],
    [{ promptIds: [-1] }, /the token -1/],
    [{ promptIds: [1.5] }, /the token 1.5/],
    [{ maxTokens: 0 }, /maxTokens 0/],
    [{ maxTokens: Number.NaN }, /maxTokens NaN/],
    [{ temperature: -1 }, /temperature -1/],
    [{ temperature: Number.NaN }, /temperature NaN/],
    [{ topP: 0 }, /topP 0/],
    [{ topP: 1.1 }, /topP 1.1/],
    [{ session: -1 }, /session -1/],
  ])("%j", async (settings, message) => {
    const model = await startSmall();
    await expect(model.sample([request(), request(settings)])).rejects.toThrow(message);
    expect(await model.sample([request()])).toHaveLength(1);
  });
});
