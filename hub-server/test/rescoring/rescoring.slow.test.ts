import { type EnvironmentFactory, evaluate, policy, type Rollout } from "@envs/core";
import { hubClient, type Rescoring } from "@envs/hub-client";
import { describe, expect, it, vi } from "vitest";

import doubleCheck from "../../../environments/double-check/src/index.ts";
import kuhnPoker from "../../../environments/kuhn-poker/src/index.ts";
import reverseText from "../../../environments/reverse-text/src/index.ts";
import tictactoe from "../../../environments/tictactoe/src/index.ts";
import { chosenPositions } from "../../src/evaluations/declarations/sample.ts";
import { anyDatabase, databases, testHub, type TestUser } from "../support/hub.ts";
import { declare, pushRun, testRun } from "../support/runs.ts";
import { sharedHub, sharedUser } from "../support/shared-hub.ts";
import { publishEnvironment } from "./published-environment.ts";

const config = { minRandomMoveProb: 0.5, opponent: "minimax" };

async function played(
  factory: EnvironmentFactory,
  model: string,
  options: { readonly config?: object; readonly seed?: number } = {},
): Promise<readonly Rollout[]> {
  const { rollouts } = await evaluate(factory((options.config ?? {}) as never), {
    model: policy(model),
    examples: 4,
    rolloutsPerExample: 2,
    seed: options.seed ?? 0,
  });
  return rollouts;
}

describe.each(databases)("rescoring on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off", HUB_REPLAY_SECONDS: "6000" });
  const client = () => hubClient({ url: server.url });

  const resultOf = async (run: string): Promise<Rescoring> =>
    await vi.waitFor(
      async () => {
        const result = await client().readRescoring({ run });
        expect(result.outcome).not.toBe("waiting");
        return result;
      },
      { timeout: 600_000, interval: 250 },
    );
  const badgesOf = async (run: string) =>
    (await client().readRun({ run })).badges.map(({ name }) => name);
  const push = async (
    user: TestUser,
    name: string,
    rollouts: readonly Rollout[],
    fields: Parameters<typeof testRun>[3] = {},
  ) => await pushRun(server, user, await testRun(server, name, rollouts, fields));

  describe("an evaluation that was played on the published package", () => {
    const ada = sharedUser(server, "ada");

    it.each([
      ["tictactoe", tictactoe, "mixed(0.5)", config],
      ["reverse-text", reverseText, "echo", {}],
      ["double-check", doubleCheck, "wavering", {}],
    ] as const)("is rescored: %s", async (bare, factory, model, options) => {
      const name = await publishEnvironment(server, ada, { name: bare });
      const environment = factory as unknown as EnvironmentFactory;
      const rollouts = await played(environment, model, { config: options, seed: 3 });
      const whole = environment(options as never).config;
      const run = await push(ada, name, rollouts, { config: whole, seed: 3 });
      expect(await resultOf(run)).toMatchObject({
        outcome: "rescored",
        evidence: { rollouts: 8, failed: 0, tolerance: 1e-12, engine: /quickjs-ng/ },
      });
      expect(await badgesOf(run)).toEqual(["uploaded", "rescored"]);
    });
  });

  it("rescores a game that models played in all seats", async () => {
    const user = await server.createUser("seats");
    const name = await publishEnvironment(server, user, { name: "kuhn-poker" });
    const environment = kuhnPoker();
    const { rollouts } = await evaluate(environment, {
      model: { player0: policy("equilibrium"), player1: policy("honest(0.5)") },
      examples: 12,
      rolloutsPerExample: 1,
    });
    expect(rollouts[0]?.otherSeats).toHaveProperty("player1");
    const run = await push(user, name, rollouts, { config: environment.config });
    const result = await resultOf(run);
    expect(result.outcome, JSON.stringify(result)).toBe("rescored");
  });

  // The result of a replay does not depend on the database.
  if (kind === "embedded") return;

  describe("a run that lies", () => {
    const eve = sharedUser(server, "eve");
    let name = "";
    const rollouts = async () => {
      name ||= await publishEnvironment(server, eve, { name: "tictactoe" });
      return await played(tictactoe as never, "mixed(0.8)", { config });
    };
    const whole = tictactoe(config as never).config;

    it("is not rescored when a score is higher than the replay's", async () => {
      const all = await rollouts();
      const index = all.findIndex(
        (rollout) => rollout.status === "scored" && rollout.scores["win"] === 0,
      );
      const forged = all.map((rollout, position) => {
        if (position !== index || rollout.status !== "scored") return rollout;
        const reward = rollout.reward + 1;
        return { ...rollout, reward, scores: { ...rollout.scores, win: 1, won: 1, loss: 0 } };
      });
      const run = await push(eve, name, forged, { config: whole });
      // The hub may cache the page of a run that waits.
      expect(await (await server.request(`/run/${run}`)).text()).toContain("Evidence");
      expect(await resultOf(run)).toMatchObject({
        outcome: "different",
        different: 1,
        first: { exampleKey: all[index]!.exampleKey, field: "reward" },
      });
      const page = await (await server.request(`/run/${run}`)).text();
      expect(page).toContain("other results. The first is rollout");
      expect(page.indexOf("This run has no rank")).toBeLessThan(page.indexOf("Evidence</h2>"));
      expect(await badgesOf(run)).toEqual(["uploaded", "refuted"]);
    });

    it("is not rescored when the environment's messages were changed", async () => {
      const all = await rollouts();
      const forged = all.map((rollout, position) =>
        position > 0
          ? rollout
          : {
              ...rollout,
              completion: rollout.completion.map((message) =>
                message.role === "user" ? { ...message, content: "You have won." } : message,
              ),
            },
      );
      const run = await push(eve, name, forged, { config: whole });
      expect(await resultOf(run)).toMatchObject({
        outcome: "different",
        first: { field: "conversation" },
      });
    });

    it("is not rescored when it states another seed", async () => {
      const run = await push(eve, name, await rollouts(), { config: whole, seed: 99 });
      expect(await resultOf(run)).toMatchObject({
        outcome: "impossible",
        reason: expect.stringMatching(/Example \d+ of the dataset has the key/) as string,
      });
    });

    it("is refuted when it was declared and its examples are invented", async () => {
      // The manifest states the size of its dataset, so the hub need not ask the bundle.
      const texts = await publishEnvironment(server, eve, { name: "reverse-text" });
      const all = await played(reverseText as unknown as EnvironmentFactory, "echo");
      const fields = {
        config: reverseText().config,
        details: { examples: 4, rolloutsPerExample: 2 },
      };
      const sample = { examples: 4, size: 1000 };
      const honest = await testRun(server, texts, all, fields);
      const { upload } = await declare(server, eve, honest, sample);
      const { declaration, seed } = upload;
      const positions = [...(await chosenPositions(sample, seed ?? 0))];
      const invented = all.map((rollout) => ({
        ...rollout,
        exampleIndex: positions[rollout.exampleIndex] ?? 0,
      }));
      const run = await push(eve, texts, invented, { ...fields, declaration, seed });
      expect(await resultOf(run)).toMatchObject({
        outcome: "different",
        different: all.length,
        first: { field: "replay", replayed: expect.stringContaining("has the key") as string },
      });
      expect(await badgesOf(run)).toEqual(["declared", "refuted"]);
    });
  });

  describe("a run of a hostile bundle", () => {
    it.each([
      ["throws", `throw new Error("no");`, "The bundle threw Error: no"],
      [
        "exhausts the memory",
        "const all = []; for (;;) all.push(new Array(1e6).fill(1));",
        "The bundle threw InternalError: out of memory",
      ],
      ["responds with other than a result", `return "[]";`, "The bundle's response is not valid."],
      [
        "scores too few rollouts",
        `return JSON.stringify({ result: { rollouts: [] } });`,
        /^The bundle scored 0 rollouts of \d+\.$/,
      ],
      [
        "forges scores that are not numbers",
        `return '{"result":{"rollouts":[{"reward":1e999,"scores":{},"stopReason":"end","isTruncated":false,"prompt":[],"completion":[]}]}}';`,
        "The bundle's response is not valid.",
      ],
    ])("gets a reason when it %s", async (title, body, reason) => {
      const user = await server.createUser(`mallory-${title.replaceAll(" ", "-").slice(0, 20)}`);
      const name = await publishEnvironment(server, user, {
        name: "reverse-text",
        changeBundle: () => `export const request = async () => { ${body} };`,
      });
      const rollouts = await played(reverseText as never, "perfect");
      const run = await push(user, name, rollouts, { config: reverseText().config });
      const result = await resultOf(run);
      expect(result).toMatchObject({
        outcome: "impossible",
        reason: typeof reason === "string" ? reason : (expect.stringMatching(reason) as string),
      });
      expect(await badgesOf(run)).toEqual(["uploaded"]);
    });
  });

  describe("the rewards of two versions", () => {
    let tries = 0;
    const comparisonOf = async (name: string, to: string) =>
      await vi.waitFor(
        async () => {
          const comparison = await client().readRewardDiff({ name, from: "1.0.0", to });
          expect(comparison.outcome).not.toBe("waiting");
          return comparison;
        },
        { timeout: 600_000, interval: 250 },
      );
    /** Makes the bundle lower the rewards of at least 1. */
    const lower = (code: string) =>
      code.replace(
        /export \{ request \};\s*$/,
        `const changed = async (text) => (await request(text)).replaceAll(/"reward":1[.0-9]*(?=,)/g, '"reward":0.25');
         export { changed as request };`,
      );

    it("are compared on the replies of pushed runs", async () => {
      // The first comparison needs a package without runs, also when this test runs again.
      tries += 1;
      const carol = await server.createUser(`carol${tries}`);
      const name = await publishEnvironment(server, carol, { name: "reverse-text" });
      await publishEnvironment(server, carol, { name: "reverse-text", version: "1.0.1" });
      await publishEnvironment(server, carol, {
        name: "reverse-text",
        version: "2.0.0",
        changeBundle: lower,
      });
      expect(await comparisonOf(name, "2.0.0")).toEqual({
        outcome: "impossible",
        reason: "The older version has no evaluations.",
      });
      for (const model of ["perfect", "echo"])
        await push(carol, name, await played(reverseText as never, model), {
          config: reverseText().config,
          model,
        });
      expect(await comparisonOf(name, "1.0.1")).toMatchObject({
        outcome: "compared",
        rollouts: 16,
        isSame: true,
      });
      const changed = await comparisonOf(name, "2.0.0");
      expect(changed).toMatchObject({ outcome: "compared", isSame: false, rescored: 8 });
      expect(changed.outcome === "compared" && changed.scores[0]).toMatchObject({
        name: "reward",
        changed: 8,
      });
      expect(changed.outcome === "compared" && changed.models.map(({ model }) => model)).toEqual([
        "perfect",
        "echo",
      ]);
      const page = await server.request(`/package/${name}/diff/1.0.0...2.0.0`);
      expect(await page.text()).toMatch(/8<!-- --> with other scores|8 with other scores/);
    });
  });

  it("continues a job whose hub was killed", async () => {
    const user = await server.createUser("zoe");
    const name = await publishEnvironment(server, user, { name: "reverse-text" });
    const rollouts = await played(reverseText as never, "perfect");
    const run = await push(user, name, rollouts, { config: reverseText().config });
    expect(await resultOf(run)).toMatchObject({ outcome: "rescored" });
    await server.hub.database
      .updateTable("replay_jobs")
      .set({ state: "running", result: null, lease_until: new Date(0), attempts: 1 } as never)
      .where("run_id", "=", run)
      .execute();
    expect(await resultOf(run)).toMatchObject({ outcome: "rescored" });
  });

  it("gives up a job that ended its hub three times", async () => {
    const user = await server.createUser("yan");
    const name = await publishEnvironment(server, user, { name: "reverse-text" });
    const rollouts = await played(reverseText as never, "perfect");
    const run = await push(user, name, rollouts, { config: reverseText().config });
    await resultOf(run);
    await server.hub.database
      .updateTable("replay_jobs")
      .set({ state: "running", result: null, lease_until: new Date(0), attempts: 3 } as never)
      .where("run_id", "=", run)
      .execute();
    expect(await resultOf(run)).toMatchObject({
      outcome: "impossible",
      reason: "The hub stopped each time that it replayed these rollouts.",
    });
    expect(await badgesOf(run)).toEqual(["uploaded"]);
  });

  it.each([
    [
      "runs only in Node",
      { problem: "dist/rows.js imports node:fs, which only Node has." },
      "The environment runs only in Node: dist/rows.js imports node:fs, which only Node has.",
    ],
    [
      "calls a model",
      { callsModels: true },
      "The environment calls a model itself, such as a judge or an opponent.",
    ],
    ["was built without a bundle", undefined, /^The package has no bundle/],
  ])("gives a reason for an environment that %s", async (title, bundle, reason) => {
    const user = await server.createUser(`u-${title.toLowerCase().replaceAll(" ", "-")}`);
    const name = await publishEnvironment(server, user, {
      name: "reverse-text",
      listBundle: (entry) =>
        bundle === undefined || "problem" in bundle ? bundle : { ...entry, ...bundle },
    });
    const rollouts = await played(reverseText as never, "perfect");
    const run = await push(user, name, rollouts, { config: reverseText().config });
    expect(await resultOf(run)).toMatchObject({
      outcome: "impossible",
      reason: typeof reason === "string" ? reason : (expect.stringMatching(reason) as string),
    });
  });
});

// The others have a limit that their bundles do not reach on a busy machine.
it("a bundle that never returns is ended at the hub's limit", async () => {
  await using server = await testHub(anyDatabase, { HUB_LIMITS: "off", HUB_REPLAY_SECONDS: "10" });
  const user = await server.createUser("mallory");
  const name = await publishEnvironment(server, user, {
    name: "reverse-text",
    changeBundle: () => `export const request = async () => { for (;;) ; };`,
  });
  const rollouts = await played(reverseText as never, "perfect");
  const fields = { config: reverseText().config };
  const run = await pushRun(server, user, await testRun(server, name, rollouts, fields));
  await vi.waitFor(
    async () =>
      expect(await hubClient({ url: server.url }).readRescoring({ run })).toMatchObject({
        outcome: "impossible",
        reason: "The bundle did not respond within 5 seconds.",
      }),
    { timeout: 120_000, interval: 250 },
  );
});
