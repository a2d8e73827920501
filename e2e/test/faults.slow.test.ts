import { type Faults, modelServer, policyAnswer } from "@envs/models/testing";
import { findRuns, readRun } from "@envs/records/node";
import tictactoe from "@envs/tictactoe";
import { expect, test } from "vitest";

import { envsHere } from "../../packages/cli/test/command.ts";
import { envs, temporaryFolder } from "./support/command-line.ts";

/** Evaluates an optimal player, which never loses, behind a server with faults. */
async function evaluateWith(faults: Faults, options: readonly string[] = []) {
  await using server = await modelServer({
    answer: policyAnswer(tictactoe(), "optimal", { examples: 8 }),
    faults,
  });
  await using folder = await temporaryFolder();
  const result = await envsHere([
    "eval",
    "tictactoe",
    ...["-m", "model", "--base-url", server.url, "--save", folder.path].concat(options),
    "--json",
    "--examples=8",
    "--rollouts=2",
    "--concurrency=8",
  ]);
  const [path] = await findRuns(folder.path);
  const { rollouts } = await readRun(path!);
  return {
    ...result,
    json: JSON.parse(result.stdout) as Record<string, unknown>,
    rollouts,
    faultCounts: server.faultCounts,
  };
}

/** Faults that retries overcome. They are so rare that five in a row do not happen by chance. */
const transientFaults: Readonly<Record<string, Faults>> = {
  delay: { delay: { milliseconds: 50 } },
  drop: { drop: { every: 8 } },
  rateLimit: { rateLimit: { every: 8, retryAfter: 0.1 } },
  "rateLimit with a date": { rateLimit: { every: 8, retryAfter: 1, asDate: true } },
  serverError: { serverError: { every: 8 } },
  brokenJson: { brokenJson: { every: 8 } },
  cut: { cut: { every: 8 } },
  wrongType: { wrongType: { every: 8 } },
  noChoices: { noChoices: { every: 8 } },
  drip: { drip: { every: 3, bytes: 40, milliseconds: 1 } },
};

test.for(Object.entries(transientFaults))(
  "scores every rollout despite occasional faults: %s",
  async ([, faults]) => {
    const { code, json, rollouts, faultCounts } = await evaluateWith(faults);
    expect(Object.values(faultCounts).some((count) => count > 0)).toBe(true);
    expect(json).toMatchObject({
      counts: { total: 16, scored: 16, failed: 0 },
      scores: { loss: { mean: 0 }, format: { mean: 1 } },
    });
    expect(rollouts).toHaveLength(16);
    expect(code).toBe(0);
  },
);

test("fails rollouts with a timeout if the server stalls, and scores the others", async () => {
  const { code, json, rollouts } = await evaluateWith({ stall: { every: 7 } }, [
    "--turn-timeout",
    "1",
  ]);
  const counts = json["counts"] as { scored: number; failed: number };
  expect(counts.failed).toBeGreaterThan(0);
  expect(counts.scored + counts.failed).toBe(16);
  expect(json).toMatchObject({
    failures: { timeout: counts.failed },
    scores: { loss: { mean: 0 } },
  });
  expect(rollouts.filter(({ status }) => status === "failed")).toHaveLength(counts.failed);
  expect(code).toBe(1);
});

test("ends with error codes and correct scores under all faults at once", async () => {
  const chance = 0.06;
  const { json, rollouts } = await evaluateWith(
    {
      delay: { chance, milliseconds: 100 },
      stall: { chance: 0.02 },
      drop: { chance },
      rateLimit: { chance, retryAfter: 0.1 },
      serverError: { chance },
      brokenJson: { chance },
      cut: { chance },
      wrongType: { chance },
      noChoices: { chance },
      drip: { chance, bytes: 40, milliseconds: 1 },
    },
    ["--turn-timeout", "6"],
  );
  const { scored, failed } = json["counts"] as { scored: number; failed: number };
  expect(scored + failed).toBe(16);
  expect(scored).toBeGreaterThan(0);
  expect(json).toMatchObject({ scores: { loss: { mean: 0 }, invalid: { mean: 0 } } });
  for (const rollout of rollouts)
    if (rollout.status === "failed") expect(["model", "timeout"]).toContain(rollout.error.code);
});

test("stops the run at once for a wrong address, key or model and names the remedy", async () => {
  await using folder = await temporaryFolder();
  const save = ["--save", folder.path];
  const address = await envs([
    "eval",
    "tictactoe",
    "-m",
    "x",
    "--base-url",
    "http://127.0.0.1:59123/v1",
    ...save,
  ]);
  expect(address.code).toBe(2);
  expect(address.stderr).toContain("Cannot connect to http://127.0.0.1:59123/v1");

  await using server = await modelServer({ apiKey: "right", name: "model" });
  const base = ["--base-url", server.url, ...save];
  const key = await envs(["eval", "tictactoe", "-m", "model", ...base], {
    OPENAI_API_KEY: "wrong",
  });
  expect(key.code).toBe(2);
  expect(key.stderr).toContain("rejected the API key");
  const model = await envs(["eval", "tictactoe", "-m", "modle", ...base], {
    OPENAI_API_KEY: "right",
  });
  expect(model.code).toBe(2);
  expect(model.stderr).toContain("has no model modle");
});
