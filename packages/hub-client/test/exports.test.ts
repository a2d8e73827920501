import { expect, test } from "vitest";

test("@envs/hub-client", async () => {
  expect(Object.keys(await import("@envs/hub-client")).toSorted()).toMatchInlineSnapshot(`
    [
      "HubRequestError",
      "askHub",
      "contentHashOf",
      "environmentManifest",
      "eventTypes",
      "hubClient",
      "isHubRequestError",
      "manifestFile",
      "manifestLimits",
      "manifestSchemaVersion",
      "packageContentHash",
      "problem",
      "readManifest",
      "routes",
    ]
  `);
});
