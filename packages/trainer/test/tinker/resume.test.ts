import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { tinkerBackend, type TinkerOptions, tinyBackend, trainingPlan } from "../../src/index.ts";
import { runTraining, type TrainingRecord } from "../../src/node/index.ts";
import { letterChats, sayLetter, startTinyModel } from "./letter-environment.ts";
import { TinkerServer } from "./tinker-server.ts";

const folder = await mkdtemp(join(tmpdir(), "tinker-resume-"));
afterAll(() => rm(folder, { recursive: true }));

const optimizer = { learningRate: 0.03 };
const record: TrainingRecord = {
  schema_version: 1,
  environment: {
    reference: "say-letter",
    name: "say-letter",
    package: null,
    version: null,
    content_hash: "",
    files: {},
  },
  plan: trainingPlan.parse({
    phases: {
      sft: { kind: "sft", data: { file: "lessons" }, epochs: 6, batchSize: 3, optimizer },
      rl: {
        kind: "rl",
        steps: 3,
        sources: [{ groups: 2 }],
        rolloutsPerExample: 4,
        maxTokens: 3,
        checkpointEvery: 1,
        loss: { name: "cispo" },
        optimizer,
      },
    },
  }),
  command: "",
  versions: {},
  date: "2026-11-21",
  is_complete: false,
};
const shared = { factory: sayLetter, chats: async () => letterChats };

test("a training run on a service resumes from its last checkpoint with identical results", async () => {
  const served = await startTinyModel();
  await using server = await TinkerServer.start(tinyBackend(served));
  const { renderer } = served;
  const options: TinkerOptions = { baseURL: server.url, baseModel: "tiny", renderer };
  const whole = join(folder, "whole");
  await runTraining({ ...shared, path: whole, record, backend: await tinkerBackend(options) });
  const expected = (await served.checkpoint()).state;

  const path = join(folder, "stopped");
  const stop = new AbortController();
  const outcome = await runTraining({
    ...shared,
    path,
    record,
    backend: await tinkerBackend(options),
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === "checkpoint" && event.phase === "rl" && event.step === 2) stop.abort();
    },
  });
  expect(outcome.isComplete).toBe(false);
  await runTraining({ ...shared, path, backend: await tinkerBackend(options) });
  expect((await served.checkpoint()).state).toEqual(expected);
});
