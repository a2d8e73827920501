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
      "openai",
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
      "asRolloutError",
      "asksSubModel",
      "assistantFrom",
      "checkJudge",
      "checkModels",
      "checkRequirements",
      "checkResponse",
      "checkSubModel",
      "checkTextOnly",
      "contentProblem",
      "conversationTo",
      "costOf",
      "createToolCalls",
      "defaultExamples",
      "defaultJudge",
      "defaultRetryTimes",
      "defaultRolloutsPerExample",
      "describeContent",
      "describePart",
      "describeScores",
      "episode",
      "examples",
      "isConfigError",
      "isMediaPart",
      "isRolloutError",
      "judgePrompts",
      "judgedScores",
      "maxTurnsOf",
      "mediaInUserMessages",
      "mediaKind",
      "mediaParts",
      "mergeSampling",
      "messageGraph",
      "messageOf",
      "missingJudge",
      "modelCheck",
      "noUsage",
      "now",
      "onAbort",
      "parseDataUrl",
      "partsOf",
      "passAtK",
      "passHatK",
      "pathTo",
      "policyNamesOf",
      "pool",
      "replay",
      "requestOf",
      "requireText",
      "requirementsOf",
      "retryableCodes",
      "rolloutErrorCodes",
      "runSubModel",
      "scoreEpisodes",
      "seatNamesOf",
      "sharedJudges",
      "sidesOf",
      "sleep",
      "splitSizesOf",
      "splitsOf",
      "subModelBudget",
      "summarizer",
      "toPrompt",
      "toolSpecsOf",
      "trainableSeatsOf",
    ]
  `);
});

test("@envs/core/records", async () => {
  expect(namesOf(await import("@envs/core/records"))).toMatchInlineSnapshot(`
    [
      "bootstrapMean",
      "canonicalJson",
      "contentHash",
      "createSummarizer",
      "exampleHash",
      "exampleSetHash",
      "factsOf",
      "isReadable",
      "isRedacted",
      "mapMedia",
      "mapMessages",
      "mediaReference",
      "pairExamples",
      "parseMediaReference",
      "parseMetadata",
      "parseRow",
      "redactUrl",
      "schemaVersion",
      "toChat",
      "toRow",
      "totals",
      "usageOfBranches",
    ]
  `);
});

test("@envs/core/node", async () => {
  expect(namesOf(await import("@envs/core/node"))).toMatchInlineSnapshot(`
    [
      "HttpError",
      "MediaReader",
      "MediaWriter",
      "WriteError",
      "badRequest",
      "byteLines",
      "chatReply",
      "chatServer",
      "checkMedia",
      "createFolder",
      "createRun",
      "errorReply",
      "findRuns",
      "foreignRequestProblem",
      "inThread",
      "isolateRollouts",
      "json",
      "jsonLines",
      "judgeFile",
      "listen",
      "lockRun",
      "openCassette",
      "parseBody",
      "pieces",
      "readBody",
      "readChatRequest",
      "readChats",
      "readMetadata",
      "readRollouts",
      "readRun",
      "reopenRun",
      "runsFolder",
      "send",
      "unwatchGroup",
      "watchGroup",
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
