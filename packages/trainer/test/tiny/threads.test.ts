import { spawnSync } from "node:child_process";
import type { Worker } from "node:worker_threads";

import { isConfigError, isRolloutError } from "@envs/core/engine";
import { describe, expect, test } from "vitest";

import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import { writeCheckpoint } from "../../src/tiny/checkpoint.ts";
import { dot } from "../engine/slow.ts";
import { small } from "./running.ts";
import { optimizer, request, someData, textOf } from "./small.ts";

const cispo: LossSettings = { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.01 };

/** The bytes of the checkpoint after some steps. */
async function trained(threads: number, steps: number): Promise<Uint8Array> {
  const backend = await small({ threads });
  for (let step = 0; step < steps; step += 1) {
    await backend.forwardBackward(someData(step, 9), cispo);
    await backend.optimStep(optimizer);
  }
  return writeCheckpoint(await backend.checkpoint());
}

/** The threads that `work` starts. */
async function threadsOf<Result>(work: () => Promise<Result>): Promise<[Result, Worker[]]> {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  process.on("worker", note);
  try {
    return [await work(), started];
  } finally {
    process.off("worker", note);
  }
}

describe("the number of threads", () => {
  test("does not change what is sampled, also in conversations that go on", async () => {
    const said = [];
    for (const threads of [1, 2]) {
      const backend = await small({ threads, slots: 4 });
      const first = await backend.sample(
        Array.from({ length: 13 }, (_, seed) => request({ seed, promptIds: textOf(seed, 9) })),
      );
      const second = await backend.sample(
        first.map(({ ids }, seed) =>
          request({ seed, session: seed, promptIds: [...textOf(seed, 9), ...ids] }),
        ),
      );
      said.push([first, second]);
    }
    expect(said[1]).toEqual(said[0]);
  });

  test("changes gradients by rounding only, and what is said of the data not at all", async () => {
    const found = [];
    for (const threads of [1, 2, 3]) {
      const backend = await small({ threads });
      const { forwards, loss, sums } = await backend.forwardBackward(someData(1, 11), cispo);
      const more = await backend.forwardBackward(someData(2, 2), cispo);
      const { gradientNorm } = await backend.optimStep({ ...optimizer, clipNorm: 0 });
      // After one step the first moment is the gradient, a tenth of it.
      const { first } = (await backend.checkpoint()).state;
      found.push({ forwards, loss: loss + more.loss, sums, gradientNorm, first: [...first] });
    }
    const [one, ...others] = found;
    for (const other of others) {
      expect(other.forwards).toEqual(one!.forwards);
      expect(other.loss).toBeCloseTo(one!.loss, 6);
      expect(other.gradientNorm / one!.gradientNorm).toBeCloseTo(1, 6);
      for (const [name, sum] of Object.entries(one!.sums))
        expect(other.sums[name]).toBeCloseTo(sum, 5);
      const apart = other.first.map((value, at) => value - one!.first[at]!);
      expect(Math.sqrt(dot(apart, apart) / dot(one!.first, one!.first))).toBeLessThan(1e-6);
    }
  });

  test("and the seed decide the checkpoint, to the bit", async () => {
    for (const threads of [1, 2])
      expect(await trained(threads, 5)).toEqual(await trained(threads, 5));
  });

  test("may exceed the number of sequences", async () => {
    const backend = await small({ threads: 3 });
    const { forwards } = await backend.forwardBackward(someData(1, 1), cispo);
    expect(forwards).toHaveLength(1);
    expect((await backend.optimStep(optimizer)).gradientNorm).toBeGreaterThan(0);
    expect(await backend.forward([])).toEqual([]);
    expect(await backend.sample([])).toEqual([]);
  });
});

describe.each([1, 2])("on %d threads", (threads) => {
  test("a step takes the gradients that were gathered, and leaves none", async () => {
    const backend = await small({ threads });
    await backend.forwardBackward(someData(1, 5), cispo);
    expect((await backend.optimStep(optimizer)).gradientNorm).toBeGreaterThan(0);
    expect((await backend.optimStep(optimizer)).gradientNorm).toBe(0);
  });

  test("loading weights forgets gradients that wait", async () => {
    const backend = await small({ threads });
    const { shape, tokenizer, state } = await backend.checkpoint();
    expect([shape, tokenizer]).toEqual([backend.shape, backend.tokenizer]);
    await backend.forwardBackward(someData(1, 5), cispo);
    const other = await small({ threads }, { shape, tokenizer, state });
    expect((await other.optimStep(optimizer)).gradientNorm).toBe(0);
  });

  test("calls take their turn, also if nobody waits for them", async () => {
    const patient = await small({ threads });
    await patient.forwardBackward(someData(1, 12), cispo);
    await patient.optimStep(optimizer);
    await patient.forwardBackward(someData(2, 12), cispo);
    await patient.optimStep(optimizer);
    const hasty = await small({ threads });
    const [, , , , checkpoint] = await Promise.all([
      hasty.forwardBackward(someData(1, 12), cispo),
      hasty.optimStep(optimizer),
      hasty.forwardBackward(someData(2, 12), cispo),
      hasty.optimStep(optimizer),
      hasty.checkpoint(),
    ]);
    expect(checkpoint.state).toEqual((await patient.checkpoint()).state);
  });

  test("what is wrong with the data is a ConfigError, and the model goes on", async () => {
    const backend = await small({ threads });
    const { advantages: _, ...bare } = someData(1, 1)[0]!;
    await expect(backend.forwardBackward([bare, bare], cispo)).rejects.toSatisfy(isConfigError);
    const { gradientNorm } = await backend.optimStep(optimizer);
    expect(gradientNorm).toBe(0);
    expect(await backend.sample([request()])).toHaveLength(1);
  });
});

describe("a thread that dies", () => {
  test("fails what is under way and what comes after it, and never hangs", async () => {
    const [backend, threads] = await threadsOf(() => small({ threads: 2 }));
    const data = someData(1, 300);
    const work = Promise.allSettled([
      backend.forwardBackward(data, cispo),
      backend.optimStep(optimizer),
      backend.sample([request(), request()]),
    ]);
    await threads[1]!.terminate();
    const message =
      /A thread of the model died: .+ Start the model again, from its last checkpoint/;
    for (const each of await work) expect(each).toMatchObject({ status: "rejected" });
    const late = backend.sample([request(), request()]);
    await expect(late).rejects.toThrow(message);
    await expect(late).rejects.toSatisfy((error) => isRolloutError(error) && error.isFatal);
    await backend.close();
  });

  test("as the model starts fails the start, and leaves no other thread behind", async () => {
    const started: Worker[] = [];
    const ended: Promise<unknown>[] = [];
    const note = (worker: Worker): void => {
      started.push(worker);
      ended.push(new Promise((resolve) => worker.once("exit", resolve)));
      if (started.length === 2) void worker.terminate();
    };
    process.on("worker", note);
    await expect(small({ threads: 3 })).rejects.toThrow(/A thread of the model died/);
    process.off("worker", note);
    await Promise.all(ended);
    expect(started).toHaveLength(3);
  });

  test("once the model is closed, it says so", async () => {
    const backend = await small({ threads: 2 });
    const waiting = Promise.allSettled([backend.sample([request(), request()])]);
    await backend.close();
    const reason = { message: expect.stringMatching(/The model was closed/) };
    expect(await waiting).toMatchObject([{ status: "rejected", reason }]);
    await expect(backend.sample([request()])).rejects.toThrow(/The model was closed/);
    await backend.close();
  });
});

test("a model that nobody closed does not keep the process alive", () => {
  const program = `
    import { TinyBackend } from "../../src/tiny/tiny-backend.ts";
    import { request, smallCheckpoint } from "./small.ts";
    const backend = await TinyBackend.start("small", smallCheckpoint(), { threads: 2 });
    console.log((await backend.sample([request(), request()])).length);
  `;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--conditions=@envs/source", "-e", program],
    { cwd: import.meta.dirname, encoding: "utf8", timeout: 30_000 },
  );
  expect({ stdout, stderr, status }).toEqual({ stdout: "2\n", stderr: "", status: 0 });
});

test.each([0, 1.5, Number.NaN])("%s threads are refused", async (threads) => {
  await expect(small({ threads })).rejects.toThrow(/runs on 1 thread or more/);
});
