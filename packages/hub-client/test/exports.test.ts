import { expect, test } from "vitest";

test("exports these names", async () => {
  expect(Object.keys(await import("@envs/hub-client")).toSorted()).toMatchInlineSnapshot(`
    [
      "HubRequestError",
      "bundleFile",
      "declaredDetails",
      "environmentManifest",
      "eventTypes",
      "hubClient",
      "isBumpSufficient",
      "isHubRequestError",
      "manifestChanges",
      "manifestFile",
      "manifestLimits",
      "manifestSchemaVersion",
      "problem",
      "readManifest",
      "readSuiteFile",
      "requestHub",
      "requiredBump",
      "routes",
      "runLimits",
      "runPrice",
      "subModelBudgetText",
      "suiteFile",
    ]
  `);
});
