// Raises the probability of a reply, and writes the adapter for PEFT.
import { writeFile } from "node:fs/promises";

import { LoraModel, writePeft } from "@envs/lora";
import { readModelFolder } from "@envs/lora/node";

const folder = process.argv[2] ?? "SmolLM2-135M-Instruct";
const model = LoraModel.load(await readModelFolder(folder), { contextLength: 64, seed: 1 });
// Six tokens; each is the target of the one before it, and the last three are the reply.
const tokens = Int32Array.of(1, 5, 9, 2, 7, 4);
const sequence = {
  inputs: tokens.subarray(0, -1),
  targets: tokens.subarray(1),
  weights: Float32Array.of(0, 0, 1, 1, 1),
};
for (let step = 1; step <= 5; step += 1) {
  const [loss] = model.forwardBackward([sequence], ({ weights }, { logprobs, entropies }) => ({
    value: -logprobs.reduce((sum, logprob) => sum + logprob),
    gradLogprobs: weights.map((weight) => -weight),
    gradEntropies: entropies.map(() => 0),
  }));
  model.optimStep({
    learningRate: 0.01,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    clipNorm: 1,
  });
  console.log(`step ${step}: loss ${loss!.value.toFixed(3)}`);
}
const { config, tensors } = writePeft(model.adapter, folder);
await writeFile(`${folder}/adapter_config.json`, JSON.stringify(config, undefined, 2));
await writeFile(`${folder}/adapter_model.safetensors`, tensors);
