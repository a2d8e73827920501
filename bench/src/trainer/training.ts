import { type Checkpoint, TinyModel } from "@envs/tiny-model";
import { type Backend, type Datum, tinyBackend } from "@envs/trainer";
import { init } from "@jax-js/jax";

import type { Figure } from "../figure.ts";
import { speedup, rate, rounds } from "../rounds.ts";
import { createJaxTraining } from "./jax-training.ts";
import { cutGames, loadMaterial, countTokens, normalizeWeights } from "./material.ts";

const roundCount = 7;
/** The batch size with which jax-js is fastest. */
const sequences = 16;
const loss = { name: "cross_entropy" } as const;

/** Compares training with jax-js: forward and backward, without the optimiser and the time of compilation. */
export async function training(): Promise<readonly Figure[]> {
  const { checkpoint, games } = await loadMaterial();
  await init("wasm");
  return [
    ...(await compareWithJax(
      checkpoint,
      cutGames(games, { sequences, length: 72 }),
      "72 tokens × 16, all trained on",
    )),
    ...(await compareWithJax(
      checkpoint,
      normalizeWeights(games.slice(0, sequences)),
      "16 games, padded for jax-js",
    )),
  ];
}

async function compareWithJax(
  checkpoint: Checkpoint,
  data: readonly Datum[],
  label: string,
): Promise<Figure[]> {
  const one = tinyBackend(await TinyModel.start("one", checkpoint));
  const two = tinyBackend(await TinyModel.start("two", checkpoint, { threads: 2 }));
  const jax = createJaxTraining(checkpoint.shape, checkpoint.state.weights, data);
  await assertSameModel(one, jax, data);
  const twice = (work: () => Promise<unknown>) => async () => {
    await work();
    await work();
  };
  const measured = await rounds(roundCount, {
    ours: twice(() => one.forwardBackward(data, loss)),
    oursOnTwo: twice(() => two.forwardBackward(data, loss)),
    jax: twice(() => jax.step()),
  });
  await two.close();
  const tokens = 2 * countTokens(data);
  const aim = { at: "least", value: 4 } as const;
  return [
    {
      name: `training, ${label}: ours on one thread`,
      unit: "tokens/s",
      ...rate(tokens, measured.ours),
    },
    { name: "the same by jax-js", unit: "tokens/s", ...rate(tokens, measured.jax) },
    {
      name: "ours on one thread / jax-js",
      unit: "×",
      ...speedup(measured.ours, measured.jax),
      aim,
    },
    {
      name: "ours on two threads / jax-js, which has one in Node",
      unit: "×",
      ...speedup(measured.oursOnTwo, measured.jax),
      aim,
    },
  ];
}

/** Fails if loss or gradients differ, because only equal computations have comparable speeds. */
async function assertSameModel(
  ours: Backend,
  jax: ReturnType<typeof createJaxTraining>,
  data: readonly Datum[],
): Promise<void> {
  const { loss: ourLoss } = await ours.forwardBackward(data, loss);
  const frozen = { learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };
  const { gradientNorm } = await ours.optimStep({ ...frozen, clipNorm: 0 });
  const theirs = await jax.measure();
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-3 * Math.abs(b);
  if (isNear(ourLoss, theirs.loss) && isNear(gradientNorm ?? NaN, theirs.gradientNorm)) return;
  throw new Error(
    `The models differ: ours has the loss ${ourLoss} and the gradient norm ${gradientNorm}, jax-js ${theirs.loss} and ${theirs.gradientNorm}.`,
  );
}
