import { defineEnvironment, end } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import { chatModel, TinyModel } from "@envs/tiny-model";
import { expect, test } from "vitest";

import { smallCheckpoint } from "../../../tiny-model/test/small-model.ts";
import { sequencesOf, tinyBackend, train, trainingPlan } from "../../src/index.ts";
import { collectGroups } from "../../src/train/collect-groups.ts";
import { runEvaluations } from "../../src/train/evaluations.ts";

/** Two players write at once; the longer text wins. */
const longer = defineEnvironment({
  name: "longer",
  dataset: () => [{ prompt: "Hi" }, { prompt: "Yo" }],
  setup: () => ({ texts: {} as Record<string, string> }),
  seats: {
    players: { left: {}, right: { policy: "short" }, judge: { trainable: false, policy: "short" } },
    turn: ({ state }) =>
      ["left", "right"].filter((seat) => state.texts[seat] === undefined) as never,
    observe: () => "Write.",
  },
  respond({ reply, seat, state }) {
    state.texts[seat] = reply;
    return Object.keys(state.texts).length === 2 ? end() : [];
  },
  rubric: {
    win({ state: { texts }, seat }) {
      const other = seat === "left" ? "right" : "left";
      return Math.sign((texts[seat]?.length ?? 0) - (texts[other]?.length ?? 0));
    },
  },
  policies: { short: () => "." },
});

interface Seats {
  readonly selfPlay?: boolean;
  readonly policies?: Readonly<Record<string, string>>;
}

const phaseOf = ({ selfPlay, policies }: Seats, factory = longer) => {
  const sources = [{ groups: 2, policies }];
  const rl = { kind: "rl", steps: 1, sources, rolloutsPerExample: 3 } as const;
  const plan = trainingPlan.parse({
    phases: { rl: { ...rl, selfPlay, maxTokens: 8, dropZeroVariance: false } },
  });
  return { plan, factory };
};

async function withModel<Result>(use: (model: TinyModel) => Promise<Result>): Promise<Result> {
  const model = await TinyModel.start("small", smallCheckpoint(), { threads: 1, slots: 8 });
  try {
    return await use(model);
  } finally {
    await model.close();
  }
}

async function collect(seats: Seats) {
  const { plan } = phaseOf(seats);
  const phase = plan.phases["rl"];
  if (phase?.kind !== "rl") throw new Error("The phase is not RL.");
  return await withModel(async (tiny) => {
    const model = chatModel(tiny);
    const { signal } = new AbortController();
    return await collectGroups({ factory: longer, model, phase, seed: "1", step: 0, signal });
  });
}

test("self-play trains each trainable seat, each in its own groups", async () => {
  const { groups, rollouts } = await collect({ selfPlay: true });
  expect(rollouts).toHaveLength(6);
  expect(groups.map((group) => group.map(({ seat }) => seat))).toEqual([
    ["left", "left", "left"],
    ["right", "right", "right"],
    ["left", "left", "left"],
    ["right", "right", "right"],
  ]);
  for (const [index, game] of rollouts.entries()) {
    const [left, right] = groups.slice(index < 3 ? 0 : 2);
    const rewards = [left, right].map((group) => {
      const side = group?.[index % 3];
      return side?.status === "scored" ? side.reward : undefined;
    });
    expect(rewards[0]! + rewards[1]!).toBe(0);
    expect(game).toMatchObject({ seat: "left", reward: rewards[0] });
  }
  for (const group of groups)
    for (const side of group) expect(sequencesOf(side)[0]!.ids.length).toBeGreaterThan(1);
});

test("without self-play, the model trains the seats that it takes by default", async () => {
  const { groups } = await collect({});
  expect(groups.map((group) => group.map(({ seat }) => seat))).toEqual([
    ["left", "left", "left"],
    ["left", "left", "left"],
  ]);
});

test("trains the seat that the policies of a source leave to the model", async () => {
  const { groups, rollouts } = await collect({ policies: { left: "short" } });
  expect(groups.map((group) => group.map(({ seat }) => seat))).toEqual([
    ["right", "right", "right"],
    ["right", "right", "right"],
  ]);
  for (const { completion, otherSeats } of rollouts) {
    expect(completion.at(0)).toMatchObject({ role: "assistant" });
    expect(otherSeats?.["left"]?.completion.at(0)).toMatchObject({ content: "." });
  }
});

test("evaluates the model in the seat that policies leave to it", async () => {
  const { plan } = phaseOf({});
  const [spec] = trainingPlan.parse({
    phases: plan.phases,
    evaluations: [{ name: "right", policies: { left: "short" }, examples: 2, maxTokens: 8 }],
  }).evaluations;
  await withModel(async (tiny) => {
    const model = chatModel(tiny);
    const { signal } = new AbortController();
    const [result] = await runEvaluations([spec!], { factory: longer, model, seed: 1, signal });
    const { summary } = result!;
    expect(summary.counts.scored).toBe(2);
    expect(Object.keys(summary.seats ?? {}).toSorted()).toEqual(["left", "right"]);
  });
});

const alone = defineEnvironment({
  name: "alone",
  dataset: () => [{ prompt: "Hi" }],
  rubric: { length: ({ reply }) => reply.length },
});

test.each<[string, Seats, unknown, string]>([
  [
    "self-play without a second trainable seat",
    { selfPlay: true },
    alone,
    "The phase rl has selfPlay, but alone has no seats.",
  ],
  [
    "a policy for a seat that the environment lacks",
    { policies: { white: "short" } },
    longer,
    "The phase rl has a policy for the seat white, but longer has the seats left, right, judge.",
  ],
  [
    "policies for every trainable seat",
    { policies: { left: "short", right: "short" } },
    longer,
    "The phase rl has policies for all trainable seats of longer, so that the model plays none.",
  ],
])("rejects %s before the first step", async (_, seats, environment, message) => {
  await withModel(async (tiny) => {
    const { plan, factory } = phaseOf(seats, environment as never);
    const backend = tinyBackend(tiny);
    const events = train({ factory, backend, plan, chats: async () => [] });
    const error = await events.next().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isConfigError(error)).toBe(true);
    expect(String(error)).toContain(message);
  });
});
