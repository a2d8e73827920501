import { spawnSync } from "node:child_process";
import type { Worker } from "node:worker_threads";

import { isRolloutError } from "@envs/core/engine";
import { describe, expect, test } from "vitest";

import { writeCheckpoint } from "../../src/checkpoint.ts";
import { dot } from "../engine/reference-math.ts";
import { accumulate, adamW, request, someSequences, testLoss, tokensOf } from "../small-model.ts";
import { startSmall } from "../start-small.ts";

/** The bytes of the checkpoint after some steps of training. */
async function train(threads: number, steps: number): Promise<Uint8Array> {
  const model = await startSmall({ threads });
  for (let step = 0; step < steps; step += 1) {
    await accumulate(model, someSequences(step, 9));
    await model.optimStep(adamW);
  }
  return writeCheckpoint(await model.checkpoint());
}

/** Returns the threads that `work` starts, too. */
async function threadsOf<Result>(work: () => Promise<Result>): Promise<[Result, Worker[]]> {
  const started: Worker[] = [];
  const record = (worker: Worker): void => void started.push(worker);
  process.on("worker", record);
  try {
    return [await work(), started];
  } finally {
    process.off("worker", record);
  }
}

describe("the number of threads", () => {
  test("does not change completions, also within sessions", async () => {
    const results = [];
    for (const threads of [1, 2]) {
      const model = await startSmall({ threads, slots: 4 });
      const first = await model.sample(
        Array.from({ length: 13 }, (_, seed) => request({ seed, promptIds: tokensOf(seed, 9) })),
      );
      const second = await model.sample(
        first.map(({ ids }, seed) =>
          request({ seed, session: seed, promptIds: [...tokensOf(seed, 9), ...ids] }),
        ),
      );
      results.push([first, second]);
    }
    expect(results[1]).toEqual(results[0]);
  });

  test("changes gradients only by rounding, and outputs not at all", async () => {
    const results = [];
    for (const threads of [1, 2, 3]) {
      const model = await startSmall({ threads });
      const outputs = await model.forward(someSequences(1, 11));
      const losses = await model.forwardBackward(someSequences(1, 11), testLoss);
      expect(losses).toHaveLength(threads);
      await accumulate(model, someSequences(2, 2));
      const { gradientNorm } = await model.optimStep({ ...adamW, clipNorm: 0 });
      // After one step the first moment is a tenth of the gradient.
      const { first } = (await model.checkpoint()).state;
      results.push({ outputs, losses: losses.flat(), gradientNorm, first: [...first] });
    }
    const [one, ...others] = results;
    for (const other of others) {
      expect(other.outputs).toEqual(one!.outputs);
      expect(other.losses).toEqual(one!.losses);
      expect(other.gradientNorm / one!.gradientNorm).toBeCloseTo(1, 6);
      const error = other.first.map((value, at) => value - one!.first[at]!);
      expect(Math.sqrt(dot(error, error) / dot(one!.first, one!.first))).toBeLessThan(1e-6);
    }
  });

  test("and the seed determine the checkpoint, to the bit", async () => {
    for (const threads of [1, 2]) expect(await train(threads, 5)).toEqual(await train(threads, 5));
  });

  test("can exceed the number of sequences", async () => {
    const model = await startSmall({ threads: 3 });
    const losses = await model.forwardBackward(someSequences(1, 1), testLoss);
    expect(losses.flat()).toHaveLength(1);
    expect((await model.optimStep(adamW)).gradientNorm).toBeGreaterThan(0);
    expect(await model.forward([])).toEqual([]);
    expect(await model.sample([])).toEqual([]);
  });

  test.each([0, 1.5, Number.NaN])("cannot be %s", async (threads) => {
    await expect(startSmall({ threads })).rejects.toThrow(/option threads is .*at least 1/);
  });
});

describe.each([1, 2])("with %d threads", (threads) => {
  test("optimStep() uses and clears the gradients", async () => {
    const model = await startSmall({ threads });
    await accumulate(model, someSequences(1, 5));
    expect((await model.optimStep(adamW)).gradientNorm).toBeGreaterThan(0);
    expect((await model.optimStep(adamW)).gradientNorm).toBe(0);
  });

  test("restore() clears the gradients", async () => {
    const model = await startSmall({ threads });
    const checkpoint = await model.checkpoint();
    expect(checkpoint).toMatchObject({ shape: model.shape, tokenizer: model.tokenizer });
    await accumulate(model, someSequences(1, 5));
    await model.restore(checkpoint);
    expect((await model.optimStep(adamW)).gradientNorm).toBe(0);
  });

  test("calls run in order, even if the caller does not await them", async () => {
    const sequential = await startSmall({ threads });
    await accumulate(sequential, someSequences(1, 12));
    await sequential.optimStep(adamW);
    await accumulate(sequential, someSequences(2, 12));
    await sequential.optimStep(adamW);
    const concurrent = await startSmall({ threads });
    const [, , , , checkpoint] = await Promise.all([
      accumulate(concurrent, someSequences(1, 12)),
      concurrent.optimStep(adamW),
      accumulate(concurrent, someSequences(2, 12)),
      concurrent.optimStep(adamW),
      concurrent.checkpoint(),
    ]);
    expect(checkpoint.state).toEqual((await sequential.checkpoint()).state);
  });

  test("an error of the loss function rejects the call, and the model stays usable", async () => {
    const model = await startSmall({ threads });
    const failing = model.forwardBackward(someSequences(1, 2), () => {
      throw new Error("no loss");
    });
    await expect(failing).rejects.toThrow("no loss");
    expect((await model.optimStep(adamW)).gradientNorm).toBe(0);
    expect(await model.sample([request()])).toHaveLength(1);
  });
});

describe("a thread that dies", () => {
  test("rejects pending and later calls", async () => {
    const [model, threads] = await threadsOf(() => startSmall({ threads: 2 }));
    const calls = Promise.allSettled([
      accumulate(model, someSequences(1, 300)),
      model.optimStep(adamW),
      model.sample([request(), request()]),
    ]);
    await threads[1]!.terminate();
    const message =
      /A thread of the model died: .+ Start the model again, from its last checkpoint/;
    for (const result of await calls) expect(result).toMatchObject({ status: "rejected" });
    const late = model.sample([request(), request()]);
    await expect(late).rejects.toThrow(message);
    await expect(late).rejects.toSatisfy((error) => isRolloutError(error) && error.isFatal);
    await model.close();
  });

  test("during the start rejects it, and the other threads end", async () => {
    const started: Worker[] = [];
    const ended: Promise<unknown>[] = [];
    const record = (worker: Worker): void => {
      started.push(worker);
      ended.push(new Promise((resolve) => worker.once("exit", resolve)));
      if (started.length === 2) void worker.terminate();
    };
    process.on("worker", record);
    await expect(startSmall({ threads: 3 })).rejects.toThrow(/A thread of the model died/);
    process.off("worker", record);
    await Promise.all(ended);
    expect(started).toHaveLength(3);
  });
});

test("close() rejects pending and later calls", async () => {
  const model = await startSmall({ threads: 2 });
  const pending = Promise.allSettled([model.sample([request(), request()])]);
  await model.close();
  const reason = { message: expect.stringMatching(/The model was closed/) };
  expect(await pending).toMatchObject([{ status: "rejected", reason }]);
  await expect(model.sample([request()])).rejects.toThrow(/The model was closed/);
  await model.close();
});

test("an idle model does not keep the process alive", () => {
  const program = `
    import { TinyModel } from "../../src/tiny-model.ts";
    import { request, smallCheckpoint } from "../small-model.ts";
    const model = await TinyModel.start("small", smallCheckpoint(), { threads: 2 });
    console.log((await model.sample([request(), request()])).length);
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["-e", program], {
    cwd: import.meta.dirname,
    encoding: "utf8",
    timeout: 600_000,
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: "2\n", stderr: "", status: 0 });
});
