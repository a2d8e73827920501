import { expect, test } from "vitest";

test("@envs/hub-client", async () => {
  expect(Object.keys(await import("@envs/hub-client")).toSorted()).toMatchInlineSnapshot(`
    [
      "contentHashOf",
      "environmentManifest",
      "manifestFile",
      "manifestLimits",
      "manifestSchemaVersion",
      "packageContentHash",
      "readManifest",
    ]
  `);
});
