import { checkEnvironment } from "@envs/core/testing";
import { test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import codeRepair from "../src/index.ts";

// Each rollout starts processes.
test("passes the conformance suite", async () => {
  await checkEnvironment(codeRepair, { packageName: packageJson.name, fullReward: 1, examples: 2 });
});
