import fc from "fast-check";
import { expect, test } from "vitest";

import { datumLoss } from "../../src/algorithms/datum-loss.ts";
import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import type { Datum } from "../../src/backend.ts";
import { checkpointName } from "../../src/tinker/checkpoint-note.ts";
import { chunksOf } from "../../src/tinker/chunks.ts";
import { serviceDatum } from "../../src/tinker/service-data.ts";
import { serviceLoss } from "../../src/tinker/service-loss.ts";

const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -4, max: 4 });
const logprob = fc.float({ noNaN: true, min: -6, max: 0 });
const weight = fc.oneof(fc.constant(0), fc.float({ noNaN: true, min: 0, max: 1 }));
const place = fc.record({
  weight,
  advantage: float,
  sampling: logprob,
  old: logprob,
  read: logprob,
});
const places = fc.array(place, { minLength: 1, maxLength: 12 });

/** The losses as Tinker documents them: sums over all tokens. */
const documented: Record<string, (ratio: number, bounded: number, logprob: number) => number> = {
  importance_sampling: (ratio) => ratio,
  cispo: (_, bounded, logprobNow) => bounded * logprobNow,
};

test.for<LossSettings>([
  { name: "importance_sampling" },
  { name: "cispo", epsilonHigh: 1.5 },
  { name: "clip", epsilonLow: 0.1, epsilonHigh: 0.3 },
])("the documented $name of what is sent is the loss of the datum", (loss) => {
  fc.assert(
    fc.property(places, fc.boolean(), (all, isOld) => {
      const of = (name: "weight" | "advantage" | "sampling" | "old" | "read"): Float32Array =>
        Float32Array.from(all, (each) => each[name]);
      const ids = Int32Array.from(all, (_, index) => index);
      const datum: Datum = {
        inputs: ids,
        targets: ids,
        weights: of("weight"),
        advantages: of("advantage"),
        samplingLogprobs: of("sampling"),
        ...(isOld ? { oldLogprobs: of("old") } : {}),
      };
      const { loss_fn: name, loss_fn_config: config } = serviceLoss(loss);
      const { advantages, logprobs } = serviceDatum(datum, loss).loss_fn_inputs;
      const sum = all.reduce((total, { read }, index) => {
        const advantage = advantages!.data[index]!;
        const ratio = Math.exp(read - logprobs!.data[index]!);
        const { clip_low_threshold: low = 0, clip_high_threshold: high = Infinity } = config ?? {};
        const bounded = Math.min(Math.max(ratio, low), high);
        const formula = documented[name];
        return formula === undefined
          ? total - Math.min(ratio * advantage, bounded * advantage)
          : total - formula(ratio, bounded, read) * advantage;
      }, 0);
      const { value } = datumLoss(loss, datum, { logprobs: of("read") });
      expect(Math.abs(sum - value)).toBeLessThan(1e-4 * (1 + Math.abs(value)));
    }),
  );
});

test("weights arrive as they were, to the bit", () => {
  fc.assert(
    fc.property(fc.float32Array({ noNaN: true, noDefaultInfinity: true }), (weights) => {
      const inputs = new Int32Array(weights.length);
      const datum = { inputs, targets: inputs, weights };
      const sent = serviceDatum(datum, { name: "cross_entropy" }).loss_fn_inputs["weights"]!;
      const text = JSON.parse(JSON.stringify(sent.data)) as number[];
      // JSON knows no negative zero.
      expect(Float32Array.from(text)).toEqual(weights.map((value) => value + 0));
    }),
  );
});

test("what is not finite is not learned from", () => {
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

test("data that a policy loss cannot learn from are refused", () => {
  const ids = Int32Array.of(1);
  const datum = { inputs: ids, targets: ids, weights: Float32Array.of(-1) };
  const logprobs = Float32Array.of(-1);
  const send = (more: Partial<Datum>): unknown =>
    serviceDatum({ ...datum, ...more }, { name: "cispo" });
  expect(() => send({})).toThrow("a datum has no samplingLogprobs");
  expect(() => send({ samplingLogprobs: logprobs })).toThrow("a datum has no advantages");
  expect(() => send({ samplingLogprobs: logprobs, advantages: logprobs })).toThrow(
    "a negative weight",
  );
  expect(() => send({ temperature: 0.5 })).toThrow("Set temperature to 1");
});

test("a batch is cut between data, in order, into parts that services take", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 40 }), (lengths) => {
      const data = lengths.map((length) => {
        const inputs = new Int32Array(length);
        return { inputs, targets: inputs, weights: new Float32Array(0) };
      });
      const chunks = [...chunksOf(data)];
      expect(chunks.flat()).toEqual(data);
      for (const chunk of chunks) {
        const tokens = chunk.reduce((sum, { inputs }) => sum + inputs.length, 0);
        expect(chunk.length === 1 || tokens <= 100_000).toBe(true);
      }
    }),
  );
});

test("every path gives a name that services take", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (path, number) => {
      expect(checkpointName(path, number)).toMatch(/^[a-zA-Z0-9_-]{1,255}$/u);
    }),
  );
  expect(checkpointName("runs/a b/rl-50.safetensors", 7)).toBe("rl-50-7");
});
