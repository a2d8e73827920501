import { expect, test } from "vitest";

const namesOf = (module: object): string[] => Object.keys(module).toSorted();

test("@envs/core", async () => {
  expect(namesOf(await import("@envs/core"))).toMatchInlineSnapshot(`
    [
      "ConfigError",
      "RolloutError",
      "aiSdk",
      "assistant",
      "assistantMessages",
      "boxedParser",
      "defaultExamples",
      "defaultRolloutsPerExample",
      "defineEnvironment",
      "describeRubric",
      "end",
      "episode",
      "evaluate",
      "examples",
      "filter",
      "isConfigError",
      "isRolloutError",
      "jsonParser",
      "lastReply",
      "map",
      "maxTurnsOf",
      "modelCheck",
      "openai",
      "passAtK",
      "passHatK",
      "policy",
      "random",
      "replay",
      "requestOf",
      "rollout",
      "rolloutErrorCodes",
      "rollouts",
      "shuffle",
      "split",
      "splitSizesOf",
      "splitsOf",
      "summarizer",
      "take",
      "thinkParser",
      "toolSpecsOf",
      "user",
      "xmlParser",
    ]
  `);
});

test("@envs/core/records", async () => {
  expect(namesOf(await import("@envs/core/records"))).toMatchInlineSnapshot(`
    [
      "createSummarizer",
      "isReadable",
      "parseMetadata",
      "parseRow",
      "schemaVersion",
      "toChat",
      "toRow",
      "totals",
    ]
  `);
});

test("@envs/core/node", async () => {
  expect(namesOf(await import("@envs/core/node"))).toMatchInlineSnapshot(`
    [
      "chatServer",
      "createRun",
      "findRuns",
      "jsonLines",
      "lockRun",
      "readChats",
      "readMetadata",
      "readRun",
      "reopenRun",
      "runsFolder",
    ]
  `);
});

test("@envs/core/testing", async () => {
  expect(namesOf(await import("@envs/core/testing"))).toMatchInlineSnapshot(`
    [
      "checkEnvironment",
      "checkReport",
      "faultNames",
      "modelServer",
      "policyAnswer",
      "scriptedModel",
    ]
  `);
});
