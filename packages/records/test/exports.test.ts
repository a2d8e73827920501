import { expect, test } from "vitest";

const namesOf = (module: object): string[] => Object.keys(module).toSorted();

test("@envs/records", async () => {
  expect(namesOf(await import("@envs/records"))).toMatchInlineSnapshot(`
    [
      "RolloutNumbers",
      "bootstrapMean",
      "contentFiles",
      "contentHashOf",
      "conversationTo",
      "exampleHash",
      "exampleSetHash",
      "fieldsOf",
      "isFields",
      "isReadable",
      "isTrajectory",
      "listOf",
      "mapMedia",
      "mapMessages",
      "meanInterval",
      "meanOf",
      "mediaReference",
      "messageGraph",
      "numberOf",
      "packageContentHash",
      "pairExamples",
      "parseJson",
      "parseMediaReference",
      "parseMetadata",
      "parseRow",
      "pathTo",
      "perfectCount",
      "pushedTotals",
      "readParsedRecord",
      "readRecord",
      "readSample",
      "readTrajectory",
      "riseInterval",
      "schemaVersion",
      "shownText",
      "sidesOf",
      "textOf",
      "toChat",
      "toRow",
      "totals",
      "trialReward",
      "wilsonInterval",
    ]
  `);
});

test("@envs/records/node", async () => {
  expect(namesOf(await import("@envs/records/node"))).toMatchInlineSnapshot(`
    [
      "MediaReader",
      "MediaWriter",
      "WriteError",
      "byteLines",
      "createFolder",
      "createRun",
      "findRuns",
      "isAlive",
      "isTraceRun",
      "isolateRollouts",
      "jsonLines",
      "judgeFile",
      "lineParts",
      "lines",
      "lockRun",
      "readChats",
      "readMetadata",
      "readRollouts",
      "readRun",
      "readTrials",
      "reopenRun",
      "replaceFile",
      "runsFolder",
      "unwatchGroup",
      "watchGroup",
    ]
  `);
});
