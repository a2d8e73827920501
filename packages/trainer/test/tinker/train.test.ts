import { expect, test } from "vitest";

import {
  type Backend,
  train,
  type TrainingEvent,
  type TrainingPlanInput,
} from "../../src/index.ts";
import { trainingPlan } from "../../src/train/plan.ts";
import { letterChats, sayLetter } from "./letter-environment.ts";
import { startPair } from "./start-pair.ts";

const optimizer = { learningRate: 0.03 };
const schedule = { warmup: 0, shape: "constant" as const };
const rl = {
  kind: "rl" as const,
  steps: 4,
  sources: [{ groups: 3 }],
  rolloutsPerExample: 6,
  maxTokens: 3,
  loss: { name: "cispo" as const },
  optimizer,
  schedule,
};
const planInput: TrainingPlanInput = {
  phases: {
    sft: {
      kind: "sft",
      data: { file: "lessons" },
      epochs: 20,
      batchSize: 3,
      optimizer,
      schedule,
    },
    rl,
  },
  evaluations: [{ name: "all", examples: 3, rolloutsPerExample: 4, maxTokens: 3 }],
};

async function trainingEvents(
  backend: Backend,
  input: TrainingPlanInput,
): Promise<TrainingEvent[]> {
  const plan = trainingPlan.parse(input);
  const all: TrainingEvent[] = [];
  for await (const event of train({
    factory: sayLetter,
    backend,
    plan,
    chats: async () => letterChats,
  }))
    all.push(event);
  return all;
}

/** Removes entropies, which services do not report, and speeds. */
function comparable(all: readonly TrainingEvent[]): unknown[] {
  return all.map((event) => {
    if (event.type === "evaluation") return event.results.map(({ summary }) => summary.reward.mean);
    if (event.type !== "step") return event.type;
    const { entropy: _, gamesPerSecond: _g, tokensPerSecond: _t, ...values } = event.report.values;
    return Object.entries(values).map(([name, value]) => `${name} ${value?.toPrecision(3)}`);
  });
}

test("train() gives the same results on a service as in this process", async () => {
  await using pair = await startPair();
  const remote = await trainingEvents(pair.remote, planInput);
  expect(comparable(remote)).toEqual(comparable(await trainingEvents(pair.local, planInput)));
  const rewards = remote.flatMap((event) =>
    event.type === "evaluation" ? [event.results[0]!.summary.reward.mean!] : [],
  );
  expect(rewards.at(-1)!).toBeGreaterThan(rewards[0]!);
});

test.for<[string, Partial<typeof rl> | object, string]>([
  [
    "a KL term",
    { loss: { name: "cispo", klCoefficient: 0.1 } },
    "klCoefficient: services have no KL term",
  ],
  [
    "an entropy bonus",
    { loss: { name: "clip", entropyCoefficient: 0.1 } },
    "do not report entropy",
  ],
  [
    "two-sided clipping",
    { loss: { name: "clip", delta: 2 } },
    "delta: services have no second bound",
  ],
  ["SAPO", { loss: { name: "sapo" } }, "services do not list sapo"],
  [
    "an entropy target",
    { loss: { name: "cispo", entropyTarget: 0.3 } },
    "entropyTarget: services do not report entropy",
  ],
  [
    "weights of whole sequences",
    { loss: { name: "cispo", importanceCorrection: "sequence_mask" } },
    "importanceCorrection: services do not apply it",
  ],
  ["a dual clip", { loss: { name: "clip", dualClip: 3 } }, "dualClip: services have no such bound"],
  [
    "GSPO",
    { loss: { name: "clip", importanceLevel: "sequence" } },
    "does not list its losses, and few compute gspo",
  ],
  ["another temperature", { temperature: 0.7 }, "Set temperature to 1"],
])("train() rejects %s before it samples", async ([, change, message]) => {
  await using pair = await startPair();
  const input = { ...planInput, phases: { rl: { ...rl, ...change } } };
  await expect(trainingEvents(pair.remote, input)).rejects.toThrow(message);
  expect(pair.server.routes).not.toContain("asample");
});

test("train() rejects a loss that the service does not support", async () => {
  await using pair = await startPair({ losses: ["cross_entropy", "ppo"] });
  await expect(trainingEvents(pair.remote, planInput)).rejects.toThrow(
    "The service does not support the loss cispo, which cispo needs. It supports cross_entropy, ppo.",
  );
});
