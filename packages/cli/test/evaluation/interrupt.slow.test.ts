import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import { expect, test } from "vitest";

import { temporaryFolder } from "../command.ts";
import { started } from "../long-running.ts";
import { environmentPackage } from "../manifest/package.ts";

const policies = `policies: { right: () => "7" },`;
const ready = `if (index === 1000) process.stdout.write("reading\\n");`;
const million = `*dataset() { for (let index = 0; index < 1e6; index += 1) { ${ready} yield { prompt: String(index) }; } },`;

/** Starts an evaluation, and waits until its dataset prints `reading`. */
async function evaluating(dataset: string, ...options: readonly string[]) {
  const root = await environmentPackage(dataset + policies);
  const save = await temporaryFolder();
  return await started(["eval", root, "-m", "policy:right", "--save", save, ...options], /reading/);
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

test.for(["SIGTERM", "SIGINT"] as const)(
  "%s ends a search for the last of a million examples",
  async (signal) => {
    const { end, said } = await evaluating(million, "--select", "999990-999999");
    let code: number | null = null;
    const seconds = await secondsOf(async () => (code = await end(signal)));
    expect(code).toBe(1);
    expect(said.stderr).toContain("Interrupted.");
    expect(seconds).toBeLessThan(2);
  },
);

test("SIGTERM ends the process while a dataset reads rows without a pause", async () => {
  const dataset = `async *dataset() { for (let index = 0; ; index += 1) { ${ready} await undefined; if (index % 1e5 === 0) await new Promise(setImmediate); } },`;
  const { end } = await evaluating(dataset);
  expect(await secondsOf(async () => expect(await end("SIGTERM")).toBe(1))).toBeLessThan(3);
});

test("the second Ctrl-C ends the process while a generator loops without a pause", async () => {
  // The loop starts late, so that the thread which receives Ctrl-C is ready.
  const dataset = `*dataset() { const start = performance.now(); while (performance.now() - start < 2000); process.stdout.write("reading\\n"); for (;;); },`;
  const { child } = await evaluating(dataset);
  child.kill("SIGINT");
  await pause(500);
  expect(child.signalCode).toBe(null);
  const exit = once(child, "exit");
  child.kill("SIGINT");
  expect(await secondsOf(() => exit)).toBeLessThan(1.5);
  expect(child.signalCode).toBe("SIGINT");
});
