import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isConfigError } from "@envs/core/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import {
  readSafetensors,
  type Safetensors,
  writeSafetensors,
} from "../../src/checkpoint/safetensors.ts";
import type { Shape } from "../../src/engine/shape.ts";
import {
  type Checkpoint,
  readCheckpoint,
  shapeFor,
  writeCheckpoint,
} from "../../src/tiny/checkpoint.ts";
import type { TinyBackend } from "../../src/tiny/tiny-backend.ts";
import { small } from "./running.ts";
import { optimizer, request, smallCheckpoint, someData } from "./small.ts";

const crossEntropy: LossSettings = { name: "cross_entropy" };

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-tiny-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function learn(backend: TinyBackend, from: number, to: number): Promise<void> {
  for (let step = from; step < to; step += 1) {
    await backend.forwardBackward(someData(step, 7), crossEntropy);
    await backend.optimStep(optimizer);
  }
}

/** A checkpoint that was trained for three steps. */
async function learned(): Promise<Checkpoint> {
  const backend = await small();
  await learn(backend, 0, 3);
  return backend.checkpoint();
}

type Change = (file: Safetensors) => Safetensors;

/** The checkpoint's file, its parts changed. */
async function changed(change: Change): Promise<Uint8Array> {
  const { tensors, metadata } = change(readSafetensors(writeCheckpoint(await learned())));
  return writeSafetensors(tensors, metadata);
}

function without(name: string): Change {
  return ({ tensors, metadata }) => ({
    tensors: Object.fromEntries(Object.entries(tensors).filter(([other]) => other !== name)),
    metadata,
  });
}

describe("a checkpoint", () => {
  test("comes back as it was written, to the bit, with its optimiser", async () => {
    const before = await learned();
    const after = readCheckpoint(writeCheckpoint(before), "it");
    expect(after.shape).toEqual(before.shape);
    expect(after.state).toEqual(before.state);
    expect(after.state.steps).toBe(3);
    expect(JSON.stringify(after.tokenizer)).toBe(JSON.stringify(before.tokenizer));
    expect(writeCheckpoint(after)).toEqual(writeCheckpoint(before));
  });

  test("without its optimiser is smaller, and starts with a fresh one", async () => {
    const before = await learned();
    const bytes = writeCheckpoint(before, { withOptimizer: false });
    expect(bytes.length).toBeLessThan(writeCheckpoint(before).length / 2);
    const { state } = readCheckpoint(bytes, "it");
    expect(state.weights).toEqual(before.state.weights);
    expect(state.steps).toBe(0);
    for (const moment of [state.first, state.second])
      expect(moment).toEqual(new Float32Array(before.state.weights.length));
  });
});

describe.each([1, 2])("training on %d threads", (threads) => {
  test("that is resumed from a file ends as one that was not interrupted, to the bit", async () => {
    const path = join(folder, `resumed-${threads}.safetensors`);
    const whole = await small({ threads });
    await learn(whole, 0, 3);
    await whole.saveState(path);
    await learn(whole, 3, 6);

    const resumed = await small({ threads });
    await learn(resumed, 7, 8);
    await resumed.loadState(path);
    await learn(resumed, 3, 6);
    expect(writeCheckpoint(await resumed.checkpoint())).toEqual(
      writeCheckpoint(await whole.checkpoint()),
    );
    expect(await resumed.sample([request({ session: 1 })])).toEqual(
      await whole.sample([request({ session: 1 })]),
    );
    expect((await readdir(folder)).filter((name) => name.includes(String(threads)))).toEqual([
      `resumed-${threads}.safetensors`,
    ]);
  });
});

test("saving changes nothing", async () => {
  const path = join(folder, "saved.safetensors");
  const backend = await small();
  await backend.forwardBackward(someData(1, 3), crossEntropy);
  await backend.saveState(path);
  expect((await backend.optimStep(optimizer)).gradientNorm).toBeGreaterThan(0);
});

describe("a file that is no checkpoint of this model is refused", () => {
  test("because it is not there", async () => {
    const path = join(folder, "nowhere.safetensors");
    const loading = (await small()).loadState(path);
    await expect(loading).rejects.toSatisfy(isConfigError);
    await expect(loading).rejects.toThrow(`${path} cannot be read. Name a file that is there.`);
  });

  test("because it is of another model; weights stay as they were", async () => {
    const path = join(folder, "other.safetensors");
    await writeFile(path, writeCheckpoint(smallCheckpoint(64)));
    const backend = await small();
    const loading = backend.loadState(path);
    await expect(loading).rejects.toSatisfy(isConfigError);
    await expect(loading).rejects.toThrow(/is a checkpoint of another model.* those of small/);
    expect((await backend.checkpoint()).state).toEqual(smallCheckpoint().state);
  });

  test.each<[string, () => Promise<Uint8Array>, RegExp]>([
    ["empty", async () => new Uint8Array(), /^x.st cannot be read as a checkpoint: .*0 bytes/],
    [
      "no safetensors",
      async () => new TextEncoder().encode("Hello, world"),
      /^x.st cannot be read/,
    ],
    [
      "cut short",
      async () => writeCheckpoint(await learned()).slice(0, -4),
      /^x.st cannot be read .*ends 4 bytes before/,
    ],
    [
      "of another kind of model",
      async () => writeSafetensors({}, { format: "pt" }),
      /no format envs-tiny-1/,
    ],
    [
      "with sizes that are no JSON",
      () =>
        changed(({ tensors, metadata }) => ({ tensors, metadata: { ...metadata, shape: "{" } })),
      /^x.st cannot be read as a checkpoint: .*JSON/,
    ],
    [
      "with sizes that no model can have",
      () =>
        changed(({ tensors, metadata }) => ({
          tensors,
          metadata: { ...metadata, shape: metadata["shape"]!.replace('"heads":2', '"heads":3') },
        })),
      /^x.st cannot be read as a checkpoint: A tiny model cannot have these sizes:\n {2}heads: must cut/,
    ],
    [
      "with a broken tokenizer",
      () =>
        changed(({ tensors, metadata }) => ({
          tensors,
          metadata: { ...metadata, tokenizer: "{}" },
        })),
      /^x.st cannot be read as a checkpoint: This is no tokenizer/,
    ],
    [
      "with a tokenizer of another size",
      () =>
        changed(({ tensors, metadata }) => ({
          tensors,
          metadata: {
            ...metadata,
            shape: metadata["shape"]!.replace(/"vocabulary":\d+/u, '"vocabulary":76'),
          },
        })),
      /its tokenizer has 77 tokens, its model 76/,
    ],
    [
      "with a step count that is no number",
      () =>
        changed(({ tensors, metadata }) => ({ tensors, metadata: { ...metadata, steps: "many" } })),
      /no format envs-tiny-1/,
    ],
    [
      "without one of its matrices",
      () => changed(without("head")),
      /head should have 16 × 80 numbers/,
    ],
    [
      "with a matrix on its side",
      () =>
        changed(({ tensors, metadata }) => ({
          tensors: { ...tensors, head: { ...tensors["head"]!, shape: [80, 16] } },
          metadata,
        })),
      /head should have 16 × 80 numbers/,
    ],
    [
      "without a part of its optimiser",
      () => changed(without("second.layers.1.up")),
      /second.layers.1.up should have 16 × 24 numbers/,
    ],
    [
      "with numbers that are not finite",
      async () => {
        const { shape, tokenizer, state } = await learned();
        return writeCheckpoint({
          shape,
          tokenizer,
          state: { ...state, first: state.first.with(5, Number.NaN) },
        });
      },
      /x.st is of no use: some of its numbers are not finite/,
    ],
  ])("because it is %s", async (_, make, message) => {
    const bytes = await make();
    const read = (): unknown => readCheckpoint(bytes, "x.st");
    expect(read).toThrow(message);
    expect(read).toThrow(expect.toSatisfy(isConfigError));
  });
});

test.each<[Partial<Shape>, RegExp]>([
  [{ width: 20 }, /width/],
  [{ heads: 4 }, /heads: must cut the width into parts whose size is a multiple of 8/],
  [{ layers: 0 }, /layers/],
  [{ hidden: 1.5 }, /hidden/],
  [{ context: 1e6 }, /context/],
])("sizes that a model cannot have are refused: %j", async (sizes, message) => {
  const { tokenizer, shape, state } = smallCheckpoint();
  const { vocabulary: _, ...others } = { ...shape, ...sizes };
  expect(() => shapeFor(tokenizer, others)).toThrow(message);
  const starting = small({}, { tokenizer, state, shape: { ...shape, ...sizes } });
  await expect(starting).rejects.toSatisfy(isConfigError);
});
