import { checkEnvironment } from "@envs/core/testing";
import { test } from "vitest";

import environment from "../src/index.ts";

test("it keeps what every environment keeps, and the best policy gets the full reward", async () => {
  await checkEnvironment(environment, { packageName: "{{package}}", fullReward: 1 });
});
