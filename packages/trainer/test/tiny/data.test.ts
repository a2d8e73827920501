import { isConfigError } from "@envs/core/engine";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import type { Datum } from "../../src/backend.ts";
import { packs } from "../../src/tiny/packs.ts";
import { small } from "./running.ts";
import { optimizer, someData, textOf } from "./small.ts";

const crossEntropy: LossSettings = { name: "cross_entropy" };

function datum(given: Partial<Datum> = {}): Datum {
  return {
    inputs: Int32Array.from(textOf(1, 4)),
    targets: Int32Array.from(textOf(2, 4)),
    weights: Float32Array.of(0, 1, 1, 1),
    ...given,
  };
}

test("packs keep the order, lose nothing, fit, and have one temperature each", () => {
  const lengths = fc.array(
    fc.record({ length: fc.integer({ min: 1, max: 20 }), temperature: fc.constantFrom(1, 2) }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(lengths, (sizes) => {
      const data = sizes.map(({ length, temperature }, at) => ({
        inputs: new Int32Array(length).fill(at),
        targets: new Int32Array(length).fill(at + 100),
        weights: Float32Array.from({ length }, (_, place) => place % 2),
        temperature,
      }));
      const all = [...packs(data, 20)];
      expect(all.flatMap((pack) => pack.data)).toEqual(data);
      for (const { data: members, ids, places, targets, lengths: parts, temperature } of all) {
        expect(ids.length).toBeLessThanOrEqual(20);
        expect([...ids]).toEqual(members.flatMap(({ inputs }) => [...inputs]));
        expect(parts).toEqual(members.map(({ inputs }) => inputs.length));
        expect(members.every((member) => member.temperature === temperature)).toBe(true);
        expect([...targets]).toEqual([...places].map((place) => ids[place]! + 100));
        const weights = members.flatMap((member) => [...member.weights]);
        expect([...places]).toEqual([...weights.keys()].filter((at) => weights[at] !== 0));
      }
    }),
  );
});

test("what is said of a sequence does not depend on the others, whatever their temperatures", async () => {
  const backend = await small();
  const data = someData(3, 60).map((each, at) => ({ ...each, temperature: [1, 0.7, 2][at % 3]! }));
  const together = await backend.forward(data);
  for (const at of [0, 17, 59]) {
    const [alone] = await backend.forward([data[at]!]);
    expect(together[at]).toEqual(alone);
  }
});

test("targets of weight 0 are not read: they may be anything", async () => {
  const backend = await small();
  const [forward] = await backend.forward([datum({ targets: Int32Array.of(-1, 2, 3, 4) })]);
  expect(forward!.logprobs[0]).toBe(0);
  expect(forward!.logprobs.subarray(1).every((logprob) => logprob < 0)).toBe(true);
});

test("a model learns what it is shown", async () => {
  const backend = await small();
  const losses: number[] = [];
  for (let step = 0; step < 30; step += 1) {
    losses.push((await backend.forwardBackward(someData(1, 4), crossEntropy)).loss);
    await backend.optimStep({ ...optimizer, learningRate: 0.03 });
  }
  expect(losses.at(-1)!).toBeLessThan(losses[0]! / 3);
});

describe("what a model cannot read is refused", () => {
  test.each<[string, Partial<Datum>, RegExp]>([
    [
      "nothing",
      { inputs: new Int32Array(), targets: new Int32Array(), weights: new Float32Array() },
      /^Sequence 2 of 2 has no tokens/,
    ],
    [
      "more than the context",
      {
        inputs: new Int32Array(49),
        targets: new Int32Array(49),
        weights: new Float32Array(49),
      },
      /^Sequence 2 of 2 has 49 tokens, and the model reads 48 at most/,
    ],
    [
      "a token too many",
      { inputs: Int32Array.of(1, 2, 3, 77) },
      /the token 77, and the model knows the tokens from 0 to 76/,
    ],
    ["a token below 0", { inputs: Int32Array.of(1, 2, -3, 4) }, /the token -3/],
    ["a target too many", { targets: Int32Array.of(1, 2, 3, 77) }, /the token 77/],
    ["a target too few", { targets: Int32Array.of(1, 2, 3) }, /4 inputs, 3 targets and 4 weights/],
    ["a weight too few", { weights: Float32Array.of(1) }, /4 inputs, 4 targets and 1 weights/],
    ["temperature 0", { temperature: 0 }, /the temperature 0/],
    ["no temperature", { temperature: Number.NaN }, /the temperature NaN/],
  ])("%s", async (_, given, message) => {
    const backend = await small();
    const data = [datum(), datum(given)];
    await expect(backend.forward(data)).rejects.toThrow(message);
    const learning = backend.forwardBackward(data, crossEntropy);
    await expect(learning).rejects.toThrow(message);
    await expect(learning).rejects.toSatisfy(isConfigError);
    expect((await backend.optimStep(optimizer)).gradientNorm).toBe(0);
  });
});
