import { expect, test } from "vitest";

const namesOf = (module: object): string[] => Object.keys(module).toSorted();

test("@envs/records", async () => {
  expect(namesOf(await import("@envs/records"))).toMatchInlineSnapshot(`
    [
      "bootstrapMean",
      "conversationTo",
      "exampleHash",
      "isReadable",
      "mapMedia",
      "mapMessages",
      "mediaReference",
      "messageGraph",
      "pairExamples",
      "parseMediaReference",
      "parseMetadata",
      "parseRow",
      "pathTo",
      "schemaVersion",
      "toChat",
      "toRow",
      "totals",
    ]
  `);
});

test("@envs/records/node", async () => {
  expect(namesOf(await import("@envs/records/node"))).toMatchInlineSnapshot(`
    [
      "MediaReader",
      "MediaWriter",
      "createFolder",
      "createRun",
      "findRuns",
      "judgeFile",
      "lockRun",
      "readChats",
      "readMetadata",
      "readRollouts",
      "readRun",
      "reopenRun",
      "runsFolder",
    ]
  `);
});
