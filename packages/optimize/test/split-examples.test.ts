import { dataset, defineEnvironment } from "@envs/core";
import { expect, test } from "vitest";

import { splitExamples } from "../src/split-examples.ts";

test("rejects with the reason of its signal while it reads examples", async () => {
  const endless = function* () {
    for (;;) yield { prompt: "again" };
  };
  const environment = defineEnvironment({
    name: "long",
    dataset: () => dataset.filter(endless(), () => false),
    rubric: { any: () => 1 },
  });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("stopped")), 20);
  const split = splitExamples(environment(), { signal: controller.signal });
  await expect(split).rejects.toThrow("stopped");
});
