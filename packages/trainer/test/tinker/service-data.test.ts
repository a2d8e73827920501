import fc from "fast-check";
import { expect, test } from "vitest";

import { datumLoss } from "../../src/algorithms/datum-loss.ts";
import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import type { Datum } from "../../src/backend.ts";
import { checkpointName } from "../../src/tinker/checkpoint-note.ts";
import { splitBatch } from "../../src/tinker/forward-pass.ts";
import { serviceDatum } from "../../src/tinker/service-data.ts";
import { serviceLoss } from "../../src/tinker/service-loss.ts";

const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -4, max: 4 });
const logprob = fc.float({ noNaN: true, min: -6, max: 0 });
const weight = fc.oneof(fc.constant(0), fc.float({ noNaN: true, min: 0, max: 1 }));
const token = fc.record({
  weight,
  advantage: float,
  sampling: logprob,
  old: logprob,
  current: logprob,
});
const tokens = fc.array(token, { minLength: 1, maxLength: 12 });

/** The losses as Tinker documents them, summed over all tokens. */
const documented: Record<string, (ratio: number, bounded: number, logprob: number) => number> = {
  importance_sampling: (ratio) => ratio,
  cispo: (_, bounded, logprobNow) => bounded * logprobNow,
};

test.for<LossSettings>([
  { name: "importance_sampling" },
  { name: "cispo", epsilonHigh: 1.5 },
  { name: "clip", epsilonLow: 0.1, epsilonHigh: 0.3 },
])("the encoded datum has the same loss under Tinker's documented $name", (loss) => {
  fc.assert(
    fc.property(tokens, fc.boolean(), (all, hasOld) => {
      const column = (
        name: "weight" | "advantage" | "sampling" | "old" | "current",
      ): Float32Array => Float32Array.from(all, (token) => token[name]);
      const ids = Int32Array.from(all, (_, index) => index);
      const datum: Datum = {
        inputs: ids,
        targets: ids,
        weights: column("weight"),
        advantages: column("advantage"),
        samplingLogprobs: column("sampling"),
        oldLogprobs: hasOld ? column("old") : undefined,
      };
      const { loss_fn: name, loss_fn_config: config } = serviceLoss(loss);
      const { advantages, logprobs } = serviceDatum(datum, loss).loss_fn_inputs;
      const sum = all.reduce((total, { current }, index) => {
        const advantage = advantages!.data[index]!;
        const ratio = Math.exp(current - logprobs!.data[index]!);
        const { clip_low_threshold: low = 0, clip_high_threshold: high = Infinity } = config ?? {};
        const bounded = Math.min(Math.max(ratio, low), high);
        const formula = documented[name];
        return formula === undefined
          ? total - Math.min(ratio * advantage, bounded * advantage)
          : total - formula(ratio, bounded, current) * advantage;
      }, 0);
      const { value } = datumLoss(loss, datum, { logprobs: column("current") });
      expect(Math.abs(sum - value)).toBeLessThan(1e-4 * (1 + Math.abs(value)));
    }),
  );
});

test("serviceDatum() encodes weights without loss", () => {
  fc.assert(
    fc.property(fc.float32Array({ noNaN: true, noDefaultInfinity: true }), (weights) => {
      const inputs = new Int32Array(weights.length);
      const datum = { inputs, targets: inputs, weights };
      const sent = serviceDatum(datum, { name: "cross_entropy" }).loss_fn_inputs["weights"]!;
      const text = JSON.parse(JSON.stringify(sent.data)) as number[];
      // JSON does not preserve negative zero.
      expect(Float32Array.from(text)).toEqual(weights.map((value) => value + 0));
    }),
  );
});

test("serviceDatum() encodes non-finite values as 0", () => {
  const ids = Int32Array.of(1, 2, 3);
  const datum: Datum = {
    inputs: ids,
    targets: ids,
    weights: Float32Array.of(1, 1, 1),
    advantages: Float32Array.of(2, Number.NaN, 2),
    samplingLogprobs: Float32Array.of(-1, -1, Number.NEGATIVE_INFINITY),
  };
  const { advantages, logprobs } = serviceDatum(datum, { name: "cispo" }).loss_fn_inputs;
  expect(advantages!.data).toEqual([2, 0, 0]);
  expect(logprobs!.data).toEqual([-1, 0, 0]);
});

test("serviceDatum() rejects data that a policy loss cannot use", () => {
  const ids = Int32Array.of(1);
  const datum = { inputs: ids, targets: ids, weights: Float32Array.of(-1) };
  const logprobs = Float32Array.of(-1);
  const encode = (more: Partial<Datum>): unknown =>
    serviceDatum({ ...datum, ...more }, { name: "cispo" });
  expect(() => encode({})).toThrow("a datum has no samplingLogprobs");
  expect(() => encode({ samplingLogprobs: logprobs })).toThrow("a datum has no advantages");
  expect(() => encode({ samplingLogprobs: logprobs, advantages: logprobs })).toThrow(
    "a negative weight",
  );
  expect(() => encode({ temperature: 0.5 })).toThrow("Set temperature to 1");
});

test("splitBatch() splits between data, in order, into parts that services accept", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 40 }), (lengths) => {
      const data = lengths.map((length) => {
        const inputs = new Int32Array(length);
        return { inputs, targets: inputs, weights: new Float32Array(0) };
      });
      const parts = [...splitBatch(data)];
      expect(parts.flat()).toEqual(data);
      for (const part of parts) {
        const tokens = part.reduce((sum, { inputs }) => sum + inputs.length, 0);
        expect(part.length === 1 || tokens <= 100_000).toBe(true);
      }
    }),
  );
});

test("checkpointName() returns a valid name for any path", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (path, number) => {
      expect(checkpointName(path, number)).toMatch(/^[a-zA-Z0-9_-]{1,255}$/u);
    }),
  );
  expect(checkpointName("runs/a b/rl-50.safetensors", 7)).toBe("rl-50-7");
});
