import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const script = join(import.meta.dirname, "../fixtures/isolated-run.ts");

/** Plays the examples a to d, where the rollout of b has a defect. */
async function play(defect: string): Promise<{ outcomes: unknown[]; reported: string[] }> {
  const options = [script, defect];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return JSON.parse(stdout) as { outcomes: unknown[]; reported: string[] };
}

const unawaited = (operation: string) =>
  `${operation}: a promise that no code awaited was rejected: boom. Await the promise, or catch its error.`;
const unsettled = (operation: string) =>
  `${operation}: it returned a promise that never settles: the process has no timer, request or file left to wait for. Resolve or reject the promise.`;

test.for([
  ["rejects-at-once", `environment: ${unawaited("respond")}`],
  ["rejects-later", `environment: ${unawaited("respond")}`],
  ["rejects-in-setup", `environment: ${unawaited("setup")}`],
  ["rejects-in-tool", `tool: ${unawaited("the tool look")}`],
  ["rejects-in-score", `score: ${unawaited("the score one")}`],
  ["rejects-in-close", `environment: ${unawaited("close")}`],
  ["rejects-in-model", `model: ${unawaited("the model")}`],
  [
    "throws-in-timer",
    "environment: respond: a callback that it left behind, such as a timer or a listener, threw: boom. Catch the error inside the callback.",
  ],
  ["hangs-in-setup", `environment: ${unsettled("setup")}`],
  ["hangs-in-respond", `environment: ${unsettled("respond")}`],
  ["hangs-in-tool", `tool: ${unsettled("the tool look")}`],
  ["hangs-in-score", `score: ${unsettled("the score one")}`],
  ["hangs-in-close", `environment: ${unsettled("close")}`],
  ["hangs-in-model", `model: ${unsettled("the model")}`],
] as const)("fails only the rollout that %s", async ([defect, failure]) => {
  expect(await play(defect)).toEqual({ outcomes: [1, failure, 1, 1], reported: [] });
});

test("reports an error of a rollout that has ended", async () => {
  expect(await play("rejects-after-the-end")).toEqual({
    outcomes: [1, 1, 1, 1],
    reported: ["the score one: boom"],
  });
});
