import { isConfigError } from "@envs/core/engine";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { packs } from "../../src/replica/packs.ts";
import type { TargetSequence } from "../../src/replica/target-sequence.ts";
import { accumulate, adamW, someSequences, tokensOf } from "../small-model.ts";
import { startSmall } from "../start-small.ts";

function sequence(changes: Partial<TargetSequence> = {}): TargetSequence {
  return {
    inputs: Int32Array.from(tokensOf(1, 4)),
    targets: Int32Array.from(tokensOf(2, 4)),
    weights: Float32Array.of(0, 1, 1, 1),
    ...changes,
  };
}

test("packs keep the order of all sequences, and have a maximum size and one temperature each", () => {
  const lengths = fc.array(
    fc.record({ length: fc.integer({ min: 1, max: 20 }), temperature: fc.constantFrom(1, 2) }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(lengths, (sizes) => {
      const sequences = sizes.map(({ length, temperature }, at) => ({
        inputs: new Int32Array(length).fill(at),
        targets: new Int32Array(length).fill(at + 100),
        weights: Float32Array.from({ length }, (_, position) => position % 2),
        temperature,
      }));
      const all = [...packs(sequences, 20)];
      expect(all.flatMap((packed) => packed.sequences)).toEqual(sequences);
      for (const { sequences: members, pack } of all) {
        const { ids, places, targets, temperature } = pack;
        expect(ids.length).toBeLessThanOrEqual(20);
        expect([...ids]).toEqual(members.flatMap(({ inputs }) => [...inputs]));
        expect(pack.lengths).toEqual(members.map(({ inputs }) => inputs.length));
        expect(members.every((member) => member.temperature === temperature)).toBe(true);
        expect([...targets]).toEqual([...places].map((place) => ids[place]! + 100));
        const weights = members.flatMap((member) => [...member.weights]);
        expect([...places]).toEqual([...weights.keys()].filter((at) => weights[at] !== 0));
      }
    }),
  );
});

test("the output for a sequence does not depend on the others, whatever their temperatures", async () => {
  const model = await startSmall();
  const sequences = someSequences(3, 60).map((member, at) => ({
    ...member,
    temperature: [1, 0.7, 2][at % 3]!,
  }));
  const together = await model.forward(sequences);
  for (const at of [0, 17, 59]) {
    const [alone] = await model.forward([sequences[at]!]);
    expect(together[at]).toEqual(alone);
  }
});

test("targets of weight 0 are not read, so they need not be tokens", async () => {
  const model = await startSmall();
  const [output] = await model.forward([sequence({ targets: Int32Array.of(-1, 2, 3, 4) })]);
  expect(output!.logprobs[0]).toBe(0);
  expect(output!.logprobs.subarray(1).every((logprob) => logprob < 0)).toBe(true);
});

test("training reduces the loss", async () => {
  const model = await startSmall();
  const losses: number[] = [];
  for (let step = 0; step < 30; step += 1) {
    losses.push(await accumulate(model, someSequences(1, 4)));
    await model.optimStep({ ...adamW, learningRate: 0.03 });
  }
  expect(losses.at(-1)!).toBeLessThan(losses[0]! / 3);
});

describe("rejects", () => {
  test.each<[string, Partial<TargetSequence>, RegExp]>([
    [
      "an empty sequence",
      { inputs: new Int32Array(), targets: new Int32Array(), weights: new Float32Array() },
      /^Sequence 2 of 2 is empty/,
    ],
    [
      "more tokens than the context",
      {
        inputs: new Int32Array(49),
        targets: new Int32Array(49),
        weights: new Float32Array(49),
      },
      /^Sequence 2 of 2 has 49 tokens, more than the model's context of 48/,
    ],
    [
      "an input above the vocabulary",
      { inputs: Int32Array.of(1, 2, 3, 77) },
      /the token 77, but the model's tokens are 0 to 76/,
    ],
    ["a negative input", { inputs: Int32Array.of(1, 2, -3, 4) }, /the token -3/],
    ["a target above the vocabulary", { targets: Int32Array.of(1, 2, 3, 77) }, /the token 77/],
    [
      "fewer targets than inputs",
      { targets: Int32Array.of(1, 2, 3) },
      /4 inputs, 3 targets and 4 weights/,
    ],
    [
      "fewer weights than inputs",
      { weights: Float32Array.of(1) },
      /4 inputs, 4 targets and 1 weights/,
    ],
    ["temperature 0", { temperature: 0 }, /the temperature 0/],
    ["temperature NaN", { temperature: Number.NaN }, /the temperature NaN/],
  ])("%s", async (_, changes, message) => {
    const model = await startSmall();
    const sequences = [sequence(), sequence(changes)];
    await expect(model.forward(sequences)).rejects.toThrow(message);
    const training = accumulate(model, sequences);
    await expect(training).rejects.toThrow(message);
    await expect(training).rejects.toSatisfy(isConfigError);
    expect((await model.optimStep(adamW)).gradientNorm).toBe(0);
  });
});
