import { expect, test } from "vitest";

import {
  type Backend,
  train,
  type TrainingEvent,
  type TrainingPlanInput,
} from "../../src/index.ts";
import { trainingPlan } from "../../src/train/plan.ts";
import { lessons, sayLetter } from "./letters.ts";
import { startPair } from "./pair.ts";

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

async function events(backend: Backend, input: TrainingPlanInput): Promise<TrainingEvent[]> {
  const plan = trainingPlan.parse(input);
  const all: TrainingEvent[] = [];
  for await (const event of train({
    factory: sayLetter,
    backend,
    plan,
    chats: async () => lessons,
  }))
    all.push(event);
  return all;
}

/** What can be compared: entropies are unknown to a service, and time is never the same. */
function told(all: readonly TrainingEvent[]): unknown[] {
  return all.map((event) => {
    if (event.type === "evaluation") return event.results.map(({ summary }) => summary.reward.mean);
    if (event.type !== "step") return event.type;
    const { entropy: _, gamesPerSecond: _g, tokensPerSecond: _t, ...values } = event.report.values;
    return Object.entries(values).map(([name, value]) => `${name} ${value?.toPrecision(3)}`);
  });
}

test("the same plan trains a model behind a service as it trains one in this process", async () => {
  await using both = await startPair();
  const remote = await events(both.remote, planInput);
  expect(told(remote)).toEqual(told(await events(both.local, planInput)));
  const rewards = remote.flatMap((event) =>
    event.type === "evaluation" ? [event.results[0]!.summary.reward.mean!] : [],
  );
  expect(rewards.at(-1)!).toBeGreaterThan(rewards[0]!);
});

test.for<[string, Partial<typeof rl> | object, string]>([
  ["a KL term", { loss: { name: "cispo", klCoefficient: 0.1 } }, "klCoefficient: it has no KL"],
  ["an entropy bonus", { loss: { name: "clip", entropyCoefficient: 0.1 } }, "reports no entropy"],
  ["two-sided clipping", { loss: { name: "clip", delta: 2 } }, "delta: it has no second bound"],
  ["a dual clip", { loss: { name: "clip", dualClip: 3 } }, "dualClip: it has no such bound"],
  ["GSPO", { loss: { name: "clip", importanceLevel: "sequence" } }, "importanceLevel: its ratios"],
  ["another temperature", { temperature: 0.7 }, "Set temperature to 1"],
])("a plan with %s is refused before anything is sampled", async ([, change, message]) => {
  await using both = await startPair();
  const input = { ...planInput, phases: { rl: { ...rl, ...change } } };
  await expect(events(both.remote, input)).rejects.toThrow(message);
  expect(both.server.asked).not.toContain("asample");
});

test("a loss that the service does not list is refused", async () => {
  await using both = await startPair({ losses: ["cross_entropy", "ppo"] });
  await expect(events(both.remote, planInput)).rejects.toThrow(
    "This service has no loss cispo, which cispo needs. It has cross_entropy, ppo.",
  );
});
