import type { Backend } from "@envs/trainer";

const optimizer = {
  learningRate: 0.02,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
};

/** Trains on one sequence. Returns the loss before each step. */
export async function trainOnSequence(
  backend: Backend,
  ids: readonly number[],
  steps: number,
): Promise<number[]> {
  const length = ids.length - 1;
  const lesson = {
    inputs: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    weights: new Float32Array(length).fill(1 / length),
  };
  const losses: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    const { loss } = await backend.forwardBackward([lesson], { name: "cross_entropy" });
    await backend.optimStep(optimizer);
    losses.push(loss);
  }
  return losses;
}
