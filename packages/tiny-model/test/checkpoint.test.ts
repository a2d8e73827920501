import { isConfigError } from "@envs/core/engine";
import { describe, expect, test } from "vitest";

import {
  type Checkpoint,
  readCheckpoint,
  resetOptimizer,
  shapeFor,
  writeCheckpoint,
} from "../src/checkpoint.ts";
import type { Shape } from "../src/engine/shape.ts";
import {
  readSafetensors,
  type Safetensors,
  writeSafetensors,
} from "../src/safetensors/safetensors.ts";
import type { TinyModel } from "../src/tiny-model.ts";
import { accumulate, adamW, request, smallCheckpoint, someSequences } from "./small-model.ts";
import { startSmall } from "./start-small.ts";

async function train(model: TinyModel, from: number, to: number): Promise<void> {
  for (let step = from; step < to; step += 1) {
    await accumulate(model, someSequences(step, 7));
    await model.optimStep(adamW);
  }
}

/** A checkpoint after three steps of training. */
async function trainedCheckpoint(): Promise<Checkpoint> {
  const model = await startSmall();
  await train(model, 0, 3);
  return model.checkpoint();
}

type Change = (file: Safetensors) => Safetensors;

/** The bytes of a modified checkpoint. */
async function modified(change: Change): Promise<Uint8Array> {
  const { tensors, metadata } = change(readSafetensors(writeCheckpoint(await trainedCheckpoint())));
  return writeSafetensors(tensors, metadata);
}

function without(name: string): Change {
  return ({ tensors, metadata }) => ({
    tensors: Object.fromEntries(Object.entries(tensors).filter(([other]) => other !== name)),
    metadata,
  });
}

describe("a checkpoint", () => {
  test("round-trips with its optimizer, to the bit", async () => {
    const before = await trainedCheckpoint();
    const after = readCheckpoint(writeCheckpoint(before), "it");
    expect(after.shape).toEqual(before.shape);
    expect(after.state).toEqual(before.state);
    expect(after.state.steps).toBe(3);
    expect(JSON.stringify(after.tokenizer)).toBe(JSON.stringify(before.tokenizer));
    expect(writeCheckpoint(after)).toEqual(writeCheckpoint(before));
  });

  test("without its optimizer is smaller, and gets a new one", async () => {
    const before = await trainedCheckpoint();
    const bytes = writeCheckpoint(before, { withOptimizer: false });
    expect(bytes.length).toBeLessThan(writeCheckpoint(before).length / 2);
    const { state } = readCheckpoint(bytes, "it");
    expect(state.weights).toEqual(before.state.weights);
    expect(state.steps).toBe(0);
    for (const moment of [state.first, state.second])
      expect(moment).toEqual(new Float32Array(before.state.weights.length));
  });
});

test("resetOptimizer keeps the weights and starts a new optimizer", async () => {
  const before = await trainedCheckpoint();
  const { state } = resetOptimizer(before);
  expect(state).toEqual({
    weights: before.state.weights,
    first: new Float32Array(before.state.weights.length),
    second: new Float32Array(before.state.weights.length),
    steps: 0,
  });
});

describe.each([1, 2])("with %d threads", (threads) => {
  test("training resumed from a checkpoint ends as uninterrupted training does, to the bit", async () => {
    const whole = await startSmall({ threads });
    await train(whole, 0, 3);
    const bytes = writeCheckpoint(await whole.checkpoint());
    await train(whole, 3, 6);

    const resumed = await startSmall({ threads });
    await train(resumed, 7, 8);
    await resumed.restore(readCheckpoint(bytes, "x.st"));
    await train(resumed, 3, 6);
    expect(writeCheckpoint(await resumed.checkpoint())).toEqual(
      writeCheckpoint(await whole.checkpoint()),
    );
    expect(await resumed.sample([request({ session: 1 })])).toEqual(
      await whole.sample([request({ session: 1 })]),
    );
  });
});

test("checkpoint() does not clear gradients", async () => {
  const model = await startSmall();
  await accumulate(model, someSequences(1, 3));
  await model.checkpoint();
  expect((await model.optimStep(adamW)).gradientNorm).toBeGreaterThan(0);
});

test("restore() rejects the checkpoint of another model, and keeps the weights", async () => {
  const model = await startSmall();
  const restoring = model.restore(smallCheckpoint(64), "other.st");
  await expect(restoring).rejects.toSatisfy(isConfigError);
  await expect(restoring).rejects.toThrow(/^other.st belongs to another model: .* that of small/);
  expect((await model.checkpoint()).state).toEqual(smallCheckpoint().state);
});

describe("readCheckpoint rejects a file", () => {
  test.each<[string, () => Promise<Uint8Array>, RegExp]>([
    [
      "that is empty",
      async () => new Uint8Array(),
      /^x.st cannot be read as a checkpoint: .*0 bytes/,
    ],
    [
      "that is not a safetensors file",
      async () => new TextEncoder().encode("Hello, world"),
      /^x.st cannot be read/,
    ],
    [
      "that is truncated",
      async () => writeCheckpoint(await trainedCheckpoint()).slice(0, -4),
      /^x.st cannot be read .*ends 4 bytes before/,
    ],
    [
      "of another kind of model",
      async () => writeSafetensors({}, { format: "pt" }),
      /lacks the format envs-tiny-1/,
    ],
    [
      "with a shape that is not JSON",
      () =>
        modified(({ tensors, metadata }) => ({ tensors, metadata: { ...metadata, shape: "{" } })),
      /^x.st cannot be read as a checkpoint: .*JSON/,
    ],
    [
      "with an invalid shape",
      () =>
        modified(({ tensors, metadata }) => ({
          tensors,
          metadata: { ...metadata, shape: metadata["shape"]!.replace('"heads":2', '"heads":3') },
        })),
      /^x.st cannot be read as a checkpoint: A tiny model cannot have this shape:\n {2}heads: must divide/,
    ],
    [
      "with an invalid tokenizer",
      () =>
        modified(({ tensors, metadata }) => ({
          tensors,
          metadata: { ...metadata, tokenizer: "{}" },
        })),
      /^x.st cannot be read as a checkpoint: The tokenizer is not in the format/,
    ],
    [
      "with a tokenizer of another size",
      () =>
        modified(({ tensors, metadata }) => ({
          tensors,
          metadata: {
            ...metadata,
            shape: metadata["shape"]!.replace(/"vocabulary":\d+/u, '"vocabulary":76'),
          },
        })),
      /its tokenizer has 77 tokens, but its model has 76/,
    ],
    [
      "with a step count that is not a number",
      () =>
        modified(({ tensors, metadata }) => ({
          tensors,
          metadata: { ...metadata, steps: "many" },
        })),
      /lacks the format envs-tiny-1/,
    ],
    [
      "without one of its matrices",
      () => modified(without("head")),
      /head must have 16 × 80 numbers/,
    ],
    [
      "with a transposed matrix",
      () =>
        modified(({ tensors, metadata }) => ({
          tensors: { ...tensors, head: { ...tensors["head"]!, shape: [80, 16] } },
          metadata,
        })),
      /head must have 16 × 80 numbers/,
    ],
    [
      "without a part of its optimizer",
      () => modified(without("second.layers.1.up")),
      /second.layers.1.up must have 16 × 24 numbers/,
    ],
    [
      "with numbers that are not finite",
      async () => {
        const { shape, tokenizer, state } = await trainedCheckpoint();
        return writeCheckpoint({
          shape,
          tokenizer,
          state: { ...state, first: state.first.with(5, Number.NaN) },
        });
      },
      /x.st has numbers that are not finite/,
    ],
  ])("%s", async (_, make, message) => {
    const bytes = await make();
    const read = (): unknown => readCheckpoint(bytes, "x.st");
    expect(read).toThrow(message);
    expect(read).toThrow(expect.toSatisfy(isConfigError));
  });
});

test.each<[Partial<Shape>, RegExp]>([
  [{ width: 20 }, /width/],
  [{ heads: 4 }, /heads: must divide the width into heads whose width is a multiple of 8/],
  [{ layers: 0 }, /layers/],
  [{ hidden: 1.5 }, /hidden/],
  [{ context: 1e6 }, /context/],
])("rejects invalid sizes: %j", async (sizes, message) => {
  const { tokenizer, shape, state } = smallCheckpoint();
  const { vocabulary: _, ...others } = { ...shape, ...sizes };
  expect(() => shapeFor(tokenizer, others)).toThrow(message);
  const starting = startSmall({}, { tokenizer, state, shape: { ...shape, ...sizes } });
  await expect(starting).rejects.toSatisfy(isConfigError);
});
