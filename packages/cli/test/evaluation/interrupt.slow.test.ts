import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { findRuns } from "@envs/records/node";
import { expect, onTestFinished, test, vi } from "vitest";

import { temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";

const bin = join(import.meta.dirname, "../../src/bin.ts");

/** Starts an evaluation in its own process group, as a terminal does. Resolves when the environment prints `looping`. */
async function looping(definition: string) {
  const root = await environmentPackage(`${definition} policies: { right: () => "7" },`);
  const save = await temporaryFolder();
  const args = ["eval", root, "-m", "policy:right", "-n", "3", "-r", "1", "-c", "1"];
  const child = spawn(process.execPath, [bin, ...args, "--save", save], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, NODE_PATH: "" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await vi.waitFor(() => expect(output).toContain("looping"), { timeout: 120_000 });
  return { child, save, interrupt: () => process.kill(-child.pid!, "SIGINT") };
}

/** Leaves the process time to write the rows of earlier rollouts. */
const written = "await new Promise((resolve) => setTimeout(resolve, 1000));";
const loop = `process.stdout.write("looping\\\\n"); for (;;);`;

test("the second Ctrl-C ends the process while code of the environment loops, and keeps the rows", async () => {
  const { child, save, interrupt } = await looping(`
    dataset: () => [0, 1, 2].map((n) => ({ prompt: String(n), id: "n" + n })),
    async respond({ example }) { if (example.id === "n2") { ${written} ${loop} } return "more"; },
    episode: { maxTurns: 2 },`);
  const exit = once(child, "exit");
  interrupt();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(child.signalCode).toBe(null);
  interrupt();
  expect(await exit).toEqual([null, "SIGKILL"]);
  const [run] = await findRuns(save);
  const rows = (await readFile(join(run!, "results.jsonl"), "utf8")).trim().split("\n");
  expect(rows).toHaveLength(2);
});

test("the second Ctrl-C ends the process while the dataset loops", async () => {
  const { child, interrupt } = await looping(`*dataset() { ${loop} },`);
  const exit = once(child, "exit");
  interrupt();
  await new Promise((resolve) => setTimeout(resolve, 100));
  interrupt();
  expect(await exit).toEqual([null, "SIGKILL"]);
});
