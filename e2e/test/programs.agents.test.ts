import { defineEnvironment, end, evaluate, type Model, repliesOf, textOf } from "@envs/core";
import { agentPreset } from "@envs/gateway";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { environments, options, oracle, scriptedServer } from "./support/agents/scripted-server.ts";

// Agent programs as their authors publish them, from npm. `pnpm test:agents` installs them; by default only pi.
const installed = new Set((process.env["ENVS_AGENT_PROGRAMS"] ?? "").split(","));

const cases = [
  ["pi", "chat"],
  ["pi", "responses"],
  ["pi", "messages"],
  ["pi", "gemini"],
  ["codex", "responses"],
  ["opencode", "chat"],
  ["opencode", "responses"],
  ["claude-code", "messages"],
] as const;

describe.each(cases.filter(([name]) => installed.has(name)))("%s over %s", (program, dialect) => {
  test("continues its session with the next observation", async () => {
    const twice = defineEnvironment({
      name: "twice",
      dataset: () => [{ prompt: "Name a colour, please." }],
      respond: ({ turns }) => (turns === 1 ? "Name a city, please." : end()),
      rubric: { both: ({ turns }) => turns === 2 },
    });
    const server = await modelServer({
      answer: ({ messages }) => {
        const said = JSON.stringify(messages);
        if (said.includes("Name a city, please.") && said.includes("It is ultramarine."))
          return "Lima.";
        return said.includes("Name a colour, please.") ? "It is ultramarine." : "A title";
      },
    });
    onTestFinished(server.close);
    const { rollouts } = await evaluate(twice(), {
      rolloutsPerExample: 1,
      model: agentPreset(program, { model: openai("model", { baseURL: server.url }), dialect }),
      rolloutTimeout: 600_000,
    });
    expect(rollouts[0]).toMatchObject({ status: "scored", reward: 1 });
    expect(rollouts[0]!.completion.map(({ content }) => textOf(content).trim())).toEqual([
      "It is ultramarine.",
      "Name a city, please.",
      "Lima.",
    ]);
  });

  test.each(["wiki-search", "code-repair"] as const)("solves %s", async (name) => {
    const { rollouts: perfect, scripts } = await oracle(name);
    const { url } = await scriptedServer(scripts);
    const model: Model = openai("model", { baseURL: url });
    const { rollouts } = await evaluate(environments[name], {
      ...options,
      model: agentPreset(program, { model, dialect }),
      rolloutTimeout: 600_000,
    });
    for (const [index, rollout] of rollouts.entries()) {
      const { completion } = perfect[index]!;
      expect(rollout).toMatchObject({ status: "scored", reward: 1 });
      // The tools ran once each, with the perfect arguments, and their results reached the model.
      expect(
        rollout.completion.filter(({ role }) => role === "tool").map(({ content }) => content),
      ).toEqual(completion.filter(({ role }) => role === "tool").map(({ content }) => content));
      expect(rollout.completion.at(-1)?.content).toBe(completion.at(-1)?.content);
      const calls = rollout.trajectory.flatMap((turn) => turn.calls ?? []);
      expect(calls.length).toBeGreaterThanOrEqual(repliesOf(completion).length);
      for (const call of calls) expect(call).toMatchObject({ dialect, requestedModel: "model" });
      const sum = calls.reduce((total, { usage }) => total + (usage?.outputTokens ?? 0), 0);
      expect(rollout.usage?.outputTokens).toBe(sum);
    }
  });
});
