import { expect, test } from "vitest";

const namesOf = (module: object): string[] => Object.keys(module).toSorted();

test("@envs/core", async () => {
  expect(namesOf(await import("@envs/core"))).toMatchInlineSnapshot(`
    [
      "ConfigError",
      "RolloutError",
      "assistant",
      "assistantMessages",
      "audio",
      "boxedParser",
      "callTools",
      "defineEnvironment",
      "end",
      "evaluate",
      "file",
      "filter",
      "image",
      "invalid",
      "jsonParser",
      "lastReply",
      "map",
      "mergeTools",
      "mix",
      "policy",
      "random",
      "rollout",
      "rollouts",
      "shuffle",
      "split",
      "take",
      "text",
      "thinkParser",
      "tool",
      "user",
      "xmlParser",
    ]
  `);
});

test("@envs/core/engine", async () => {
  expect(namesOf(await import("@envs/core/engine"))).toMatchInlineSnapshot(`
    [
      "addUsage",
      "areContentParts",
      "asMessages",
      "asRolloutError",
      "asksSubModel",
      "assistantFrom",
      "callbackError",
      "canonicalJson",
      "checkJudge",
      "checkModels",
      "checkRequirements",
      "checkResponse",
      "checkSubModel",
      "checkTextOnly",
      "contentHash",
      "contentProblem",
      "costOf",
      "createSummarizer",
      "dataUrl",
      "defaultExamples",
      "defaultJudge",
      "defaultRetryTimes",
      "defaultRolloutsPerExample",
      "defaultSeats",
      "describeContent",
      "describePart",
      "describeScores",
      "episode",
      "exampleSetHash",
      "examples",
      "factsOf",
      "isConfigError",
      "isFiltered",
      "isMediaPart",
      "isRedacted",
      "isRolloutError",
      "judgePrompts",
      "judgedScores",
      "mapValues",
      "maxTurnsOf",
      "mediaKind",
      "mediaParts",
      "mergeSampling",
      "messageOf",
      "missingJudge",
      "modelCheck",
      "noUsage",
      "now",
      "omitUndefined",
      "onAbort",
      "parseDataUrl",
      "parseJson",
      "partsOf",
      "passAtK",
      "passHatK",
      "playedBy",
      "policyNamesOf",
      "pool",
      "redactUrl",
      "replay",
      "requestOf",
      "requireText",
      "requirementsOf",
      "retryableCodes",
      "rolloutErrorCodes",
      "runSubModel",
      "scoreEpisodes",
      "seatNamesOf",
      "setHookTracker",
      "sharedJudges",
      "sidesOf",
      "sleep",
      "splitSizesOf",
      "splitUrls",
      "splitsOf",
      "subModelBudget",
      "summarizer",
      "toolSpecsOf",
      "trainableSeatsOf",
      "unawaitedError",
      "unsettledError",
      "usageOfBranches",
      "workspaceTool",
    ]
  `);
});

test("@envs/core/testing", async () => {
  expect(namesOf(await import("@envs/core/testing"))).toMatchInlineSnapshot(`
    [
      "checkEnvironment",
      "checkReport",
      "scriptedModel",
    ]
  `);
});

test("@envs/core/bundle", async () => {
  expect(namesOf(await import("@envs/core/bundle"))).toMatchInlineSnapshot(`
    [
      "BundleError",
      "bundleClient",
      "bundleFormat",
      "bundleRequests",
      "compareReplay",
      "divergenceOf",
      "recordOf",
      "replayRollouts",
      "rewardDiffer",
      "rewardOf",
    ]
  `);
});
