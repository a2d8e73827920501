import { checkEnvironment } from "@envs/core/testing";
import { test } from "vitest";

import environment from "../src/index.ts";

test("passes the conformance suite, and the best policy earns the full reward", async () => {
  await checkEnvironment(environment, { packageName: "{{package}}", fullReward: 1 });
});
