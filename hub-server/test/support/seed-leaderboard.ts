import { random } from "@envs/core";

import type { TestHub, TestUser } from "./hub.ts";
import { pushDeclared, pushRun, testPart, testRollout, testRun } from "./runs.ts";
import { seedEnvironment } from "./seed-environment.ts";

/** The ids of pushed runs, and the package that they measure. */
export interface SeededLeaderboard {
  readonly name: string;
  /** The evaluations of version 1.1.0, the best model first. */
  readonly runs: readonly string[];
  readonly olderRun: string;
  readonly training: string;
}

const scores = [
  {
    name: "solved",
    weight: 1,
    isGroup: false,
    range: [0, 1] as [number, number],
    description: "Whether the ladder reaches the last word.",
  },
  { name: "brevity", weight: 0.2, isGroup: false, range: [0, 1] as [number, number] },
  { name: "steps", weight: 0, isGroup: false },
];

const models = [
  { model: "policy:optimal", skill: 0.97, tokens: 40, price: null },
  { model: "qwen3-32b", skill: 0.71, tokens: 900, price: { input: 0.1, output: 0.3 } },
  { model: "llama-4-maverick", skill: 0.66, tokens: 350, price: { input: 0.2, output: 0.85 } },
  { model: "SmolLM2-135M-Instruct", skill: 0.12, tokens: 120, price: null },
  { model: "policy:random", skill: 0.03, tokens: 15, price: null },
];

/** Pushes evaluations of several models of different skill, one of an older version, and a training. */
export async function seedLeaderboard(
  server: TestHub,
  owner: TestUser,
  { bare = "word-ladder", examples = 40 }: { bare?: string; examples?: number } = {},
): Promise<SeededLeaderboard> {
  const { name } = await seedEnvironment(server.hub, owner, {
    bare,
    versions: ["1.0.0", "1.1.0"],
    readme: "# Word ladder\n\nChange one letter at a time.",
    packageJson: { license: "MIT" },
    manifest: { description: "Turn one word into another, letter by letter.", scores },
  });
  const runs: string[] = [];
  for (const { model, skill, tokens, price } of models) {
    const played = rollouts({ bare, model, skill, tokens, examples });
    const config = { letters: 4, dictionary: "common" };
    const run = await testRun(server, name, played, { version: "1.1.0", model, price, config });
    runs.push(await pushDeclared(server, owner, run));
  }
  const older = rollouts({ bare, model: "qwen3-32b", skill: 0.6, tokens: 800, examples: 20 });
  const olderRun = await testRun(server, name, older, { version: "1.0.0", model: "qwen3-32b" });
  return {
    name,
    runs,
    olderRun: await pushDeclared(server, owner, olderRun),
    training: await pushTraining(server, owner, { name, bare }),
  };
}

function rollouts({
  bare,
  model,
  skill,
  tokens,
  examples,
}: {
  readonly bare: string;
  readonly model: string;
  readonly skill: number;
  readonly tokens: number;
  readonly examples: number;
}) {
  const draws = random("leaderboard", model, skill);
  return Array.from({ length: examples * 2 }, (_, index) => {
    const example = Math.floor(index / 2);
    // Examples differ in difficulty, for every model alike.
    const solved = Number(draws.next() < skill ** (0.4 + (2 * ((example * 7) % 10)) / 10));
    const brevity = solved === 0 ? null : Math.round(draws.next() * 10) / 10;
    return testRollout({
      environment: bare,
      prompt: "Turn COLD into WARM.",
      reply: "COLD CORD CARD WARD WARM",
      example,
      rollout: index % 2,
      scores: { solved, brevity, steps: 3 + Math.floor(draws.next() * 5) },
      reward: solved + 0.2 * (brevity ?? 0),
      usage: { inputTokens: 120, outputTokens: Math.round(tokens * (0.5 + draws.next())) },
      ...(skill < 0.7 && draws.next() < 0.04 ? { error: "model" as const } : {}),
    });
  });
}

async function pushTraining(
  server: TestHub,
  owner: TestUser,
  { name, bare }: { readonly name: string; readonly bare: string },
): Promise<string> {
  const played = rollouts({ bare, model: "tiny", skill: 0.4, tokens: 20, examples: 8 });
  const run = await testRun(server, name, played, {
    version: "1.1.0",
    kind: "training",
    model: "tiny:base",
    driver: "envs train 0.1.0",
    details: { command: `envs train ${name}`, plan: { seed: 0 } },
    modelPackage: `@${owner.name}/tiny-ladder@0.1.0`,
    partLines: 1000,
  });
  const rows = Array.from({ length: 60 }, (_, index) => ({
    phase: index < 20 ? "sft" : "rl",
    step: index < 20 ? index + 1 : index - 19,
    kind: index < 20 ? "sft" : "rl",
    at: index * 2,
    values:
      index < 20
        ? { loss: 3 * Math.exp(-index / 6) }
        : { reward: 0.9 - 0.7 * Math.exp((20 - index) / 12), "score/solved": 0.8, kl: index / 900 },
  }));
  const metrics = testPart(rows, { kind: "metrics" });
  const [part] = run.parts;
  if (part === undefined) throw new Error("The training has no rollouts.");
  const saved = { ...part, part: { ...part.part, phase: "rl", step: 40 } };
  const parts = [metrics, saved];
  const upload = { ...run.upload, parts: parts.map((each) => each.part) };
  return await pushRun(server, owner, { upload, parts });
}
