import { type Checkpoint, TinyModel } from "@envs/tiny-model";
import { type Backend, type Datum, tinyBackend } from "@envs/trainer";
import { init } from "@jax-js/jax";

import type { Figure } from "../figure.ts";
import { gain, rate, rounds } from "../rounds.ts";
import { jaxTraining } from "./jax-training.ts";
import { cut, material, tokensOf, weighed } from "./material.ts";

const times = 7;
/** Batches of this many sequences are what jax-js is fastest with. */
const sequences = 16;
const loss = { name: "cross_entropy" } as const;

/** Training with and without jax-js: forward and backward, no optimiser, compile time excluded. */
export async function training(): Promise<readonly Figure[]> {
  const { checkpoint, games } = await material();
  await init("wasm");
  return [
    ...(await against(
      checkpoint,
      cut(games, { sequences, length: 72 }),
      "72 tokens × 16, all trained on",
    )),
    ...(await against(
      checkpoint,
      weighed(games.slice(0, sequences)),
      "16 games, padded for jax-js",
    )),
  ];
}

async function against(
  checkpoint: Checkpoint,
  data: readonly Datum[],
  label: string,
): Promise<Figure[]> {
  const one = tinyBackend(await TinyModel.start("one", checkpoint));
  const two = tinyBackend(await TinyModel.start("two", checkpoint, { threads: 2 }));
  const jax = jaxTraining(checkpoint.shape, checkpoint.state.weights, data);
  await expectTheSame(one, jax, data);
  const twice = (work: () => Promise<unknown>) => async () => {
    await work();
    await work();
  };
  const measured = await rounds(times, {
    ours: twice(() => one.forwardBackward(data, loss)),
    oursOnTwo: twice(() => two.forwardBackward(data, loss)),
    jax: twice(() => jax.step()),
  });
  await two.close();
  const tokens = 2 * tokensOf(data);
  const aim = { at: "least", value: 4 } as const;
  return [
    {
      name: `training, ${label}: ours on one thread`,
      unit: "tokens/s",
      ...rate(tokens, measured.ours),
    },
    { name: "the same by jax-js", unit: "tokens/s", ...rate(tokens, measured.jax) },
    { name: "ours on one thread / jax-js", unit: "×", ...gain(measured.ours, measured.jax), aim },
    {
      name: "ours on two threads / jax-js, which has one in Node",
      unit: "×",
      ...gain(measured.oursOnTwo, measured.jax),
      aim,
    },
  ];
}

/** Compares the results first: speeds are comparable only for the same computation. */
async function expectTheSame(
  ours: Backend,
  jax: ReturnType<typeof jaxTraining>,
  data: readonly Datum[],
): Promise<void> {
  const { loss: oursLoss } = await ours.forwardBackward(data, loss);
  const still = { learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };
  const { gradientNorm } = await ours.optimStep({ ...still, clipNorm: 0 });
  const theirs = await jax.measure();
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-3 * Math.abs(b);
  if (isNear(oursLoss, theirs.loss) && isNear(gradientNorm ?? NaN, theirs.gradientNorm)) return;
  throw new Error(
    `The two models are not the same: ours has the loss ${oursLoss} and gradients of norm ${gradientNorm}, that of jax-js ${theirs.loss} and ${theirs.gradientNorm}.`,
  );
}
