import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createRun, runsFolder } from "@envs/records/node";
import { describe, expect, onTestFinished, test } from "vitest";

import { envs, temporaryFolder } from "../../command.ts";
import { playedRollout, viewedRun } from "../../viewer/run.ts";

/** Saves a run of three rollouts, the second of which failed. Returns the folder of runs and the run's folder. */
async function savedRun() {
  const outputs = await temporaryFolder();
  const path = join(runsFolder(outputs, "counting", "policy:perfect"), "run");
  const run = await createRun(path, { ...viewedRun([]).metadata, date: "2026-11-22" });
  for (let index = 0; index < 3; index += 1)
    await run.append(playedRollout(index, index === 1 ? undefined : 1));
  await run.close();
  return { outputs, path };
}

describe("envs run report", () => {
  test("writes the newest run as one HTML file", async () => {
    const { outputs } = await savedRun();
    const file = join(outputs, "report.html");
    const { stdout, code } = await envs(["run", "report", "--html", "--save", outputs, "-o", file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("contains 3 rollouts")]);
    const html = await readFile(file, "utf8");
    expect(html).toContain('id="report-index"');
    expect(html).not.toContain(outputs);
  });

  test("includes only the rollouts that match an expression", async () => {
    const { path, outputs } = await savedRun();
    const file = join(outputs, "report.html");
    const args = ["run", "report", path, "--html", "-o", file, "--where", "status == scored"];
    const { stdout } = await envs(args);
    expect(stdout).toContain("contains 2 rollouts");
  });

  test.each([
    [["run", "report", "absent", "--html"], 2, /absent does not exist/],
    [["run", "report", "PATH"], 2, /Pass --html/],
    [["run", "report", "PATH", "--html", "--where", "rewrd > 0"], 2, /Did you mean reward/],
  ])("rejects %j", async (args, expected, message) => {
    const { path } = await savedRun();
    const { stderr, code } = await envs(
      args.map((argument) => (argument === "PATH" ? path : argument)),
    );
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
  });
});

test("envs view --web serves the runs until it is interrupted", async () => {
  const { outputs } = await savedRun();
  const bin = join(import.meta.dirname, "../../../src/bin.ts");
  const args = [bin, "view", "--web", "--save", outputs];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  const [address = ""] = String(output).split("#");
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  const runs = (await (await fetch(`${address}data/runs`)).json()) as { environment: string }[];
  expect(runs.map(({ environment }) => environment)).toEqual(["counting"]);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
});
