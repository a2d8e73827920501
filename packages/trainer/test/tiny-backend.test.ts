import { mkdtempDisposable, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isConfigError } from "@envs/core/engine";
import { resetOptimizer, TinyModel, writeCheckpoint } from "@envs/tiny-model";
import { describe, expect, onTestFinished, test } from "vitest";

import { adamW, smallCheckpoint, someSequences } from "../../tiny-model/test/small-model.ts";
import type { LossSettings } from "../src/algorithms/loss-settings.ts";
import { type Backend, type Datum, tinyBackend } from "../src/index.ts";

const cispo: LossSettings = { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.01 };

/** Creates a backend whose model is closed at the end of the test. */
async function start(threads = 1): Promise<{ backend: Backend; model: TinyModel }> {
  const model = await TinyModel.start("small", smallCheckpoint(), { threads, slots: 8 });
  onTestFinished(() => model.close());
  return { backend: tinyBackend(model), model };
}

function temporaryFolder(): ReturnType<typeof mkdtempDisposable> {
  return mkdtempDisposable(join(tmpdir(), "tiny-backend-"));
}

function someData(seed: number, count: number): Datum[] {
  return someSequences(seed, count).map((sequence, index) => ({
    ...sequence,
    samplingLogprobs: new Float32Array(sequence.inputs.length).fill(-4),
    advantages: new Float32Array(sequence.inputs.length).fill(index % 2 === 0 ? 1 : -0.5),
  }));
}

async function trainSteps(backend: Backend, from: number, to: number): Promise<void> {
  for (let step = from; step < to; step += 1) {
    await backend.forwardBackward(someData(step, 9), cispo);
    await backend.optimStep(adamW);
  }
}

describe("forwardBackward()", () => {
  test("returns the outputs of forward(), and sums over all threads", async () => {
    const data = someData(1, 11);
    const results = [];
    for (const threads of [1, 2, 3]) {
      const { backend } = await start(threads);
      expect((await backend.forwardBackward(data, cispo)).forwards).toEqual(
        await backend.forward(data),
      );
      results.push(await backend.forwardBackward(data, cispo));
    }
    const [one, ...others] = results;
    for (const other of others) {
      expect(other.forwards).toEqual(one!.forwards);
      expect(other.loss).toBeCloseTo(one!.loss, 6);
      for (const [name, sum] of Object.entries(one!.sums))
        expect(other.sums[name]).toBeCloseTo(sum, 5);
    }
  });

  test.each([1, 2])(
    "rejects data that lack what the loss needs, with %d threads, and the model stays usable",
    async (threads) => {
      const { backend } = await start(threads);
      const { advantages: _, ...incomplete } = someData(1, 1)[0]!;
      const failing = backend.forwardBackward([incomplete, incomplete], cispo);
      await expect(failing).rejects.toSatisfy(isConfigError);
      expect((await backend.optimStep(adamW)).gradientNorm).toBe(0);
    },
  );

  test.each([1, 2])(
    "and optimStep() produce the same checkpoint again, with %d threads",
    async (threads) => {
      const checkpoints = [];
      for (let time = 0; time < 2; time += 1) {
        const { backend, model } = await start(threads);
        await trainSteps(backend, 0, 5);
        checkpoints.push(writeCheckpoint(await model.checkpoint()));
      }
      expect(checkpoints[1]).toEqual(checkpoints[0]);
    },
  );
});

test("training resumed from a file ends as uninterrupted training does, to the bit", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "state.safetensors");
  const whole = await start();
  await trainSteps(whole.backend, 0, 3);
  await whole.backend.saveState(path);
  await trainSteps(whole.backend, 3, 6);
  const resumed = await start();
  await trainSteps(resumed.backend, 7, 8);
  await resumed.backend.loadState(path);
  await trainSteps(resumed.backend, 3, 6);
  expect(writeCheckpoint(await resumed.model.checkpoint())).toEqual(
    writeCheckpoint(await whole.model.checkpoint()),
  );
  expect(await readdir(folder.path)).toEqual(["state.safetensors"]);
});

test("loadState() loads the weights alone if asked to", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "state.safetensors");
  const trained = await start();
  await trainSteps(trained.backend, 0, 3);
  await trained.backend.saveState(path);
  const other = await start();
  await other.backend.loadState(path, { resetsOptimizer: true });
  expect(await other.model.checkpoint()).toEqual(resetOptimizer(await trained.model.checkpoint()));
});

test("saveState() does not clear gradients", async () => {
  await using folder = await temporaryFolder();
  const { backend } = await start();
  await backend.forwardBackward(someData(1, 3), cispo);
  await backend.saveState(join(folder.path, "saved.safetensors"));
  expect((await backend.optimStep(adamW)).gradientNorm).toBeGreaterThan(0);
});

describe("loadState()", () => {
  test("rejects a file that does not exist", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "missing.safetensors");
    const loading = (await start()).backend.loadState(path);
    await expect(loading).rejects.toSatisfy(isConfigError);
    await expect(loading).rejects.toThrow(`${path} cannot be read. Pass a file that exists.`);
  });

  test("rejects the checkpoint of another model", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "other.safetensors");
    await writeFile(path, writeCheckpoint(smallCheckpoint(64)));
    const loading = (await start()).backend.loadState(path);
    await expect(loading).rejects.toSatisfy(isConfigError);
    await expect(loading).rejects.toThrow(`${path} belongs to another model`);
  });
});
