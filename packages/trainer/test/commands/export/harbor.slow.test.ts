import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../../cli/test/command.ts";

const root = join(import.meta.dirname, "../../../../..");

/** Runs a task's grader on an answer, with the packages of this workspace. Returns the contents of reward.json. */
async function grade(task: string, answer: string | undefined) {
  const grader = await temporaryFolder();
  await mkdir(join(grader, "node_modules/@envs"), { recursive: true });
  for (const [name, path] of Object.entries({
    core: "packages/core",
    "reverse-text": "environments/reverse-text",
  }))
    await symlink(join(root, path), join(grader, "node_modules/@envs", name));
  const program = join(grader, "grade.mjs");
  await writeFile(program, await readFile(join(task, "tests/grade.mjs"), "utf8"));
  const answerFile = join(grader, "answer.txt");
  if (answer !== undefined) await writeFile(answerFile, answer);
  const rewardFile = join(grader, "reward.json");
  const { status, stderr } = spawnSync(process.execPath, [program, answerFile, rewardFile], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(await readFile(rewardFile, "utf8")) as Record<string, number>;
}

describe("export harbor", () => {
  test("writes a task folder per example, whose grader gives the environment's scores", async () => {
    const folder = await temporaryFolder();
    const args = ["./environments/reverse-text", "--count", "2", "--max-length", "60"];
    const { code, stderr } = await envsHere(["export", "harbor", ...args, "-o", folder]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("The tests install @envs/reverse-text@0.0.0 with npm"),
    ]);
    const names = ["reverse-text-train-00000", "reverse-text-train-00001"];
    expect((await readdir(folder)).toSorted()).toEqual(names);
    const [other, task] = names.map((name) => join(folder, name)) as [string, string];
    const read = (path: string): Promise<string> => readFile(join(task, path), "utf8");
    expect(parse(await read("task.toml"))).toMatchObject({
      task: { name: "reverse-text/reverse-text-train-00001" },
      environment: { docker_image: "node:24-slim" },
    });
    expect(await read("environment/Dockerfile")).toBe("FROM node:24-slim\n");
    expect(await read("instruction.md")).toContain("/answer.txt");
    for (const program of ["tests/test.sh", "solution/solve.sh"]) {
      expect((await stat(join(task, program))).mode & 0o111).not.toBe(0);
      expect(spawnSync("bash", ["-n", join(task, program)]).status).toBe(0);
    }
    const solution = Buffer.from((await read("solution/solve.sh")).split("\n").at(-3)!, "base64");
    expect(await grade(task, solution.toString())).toEqual({
      reward: expect.closeTo(1.2),
      similarity: 1,
      format: 1,
      exact: 1,
    });
    expect(await grade(task, "I do not know.")).toMatchObject({ exact: 0, format: 0 });
    expect(await grade(task, undefined)).toMatchObject({ reward: 0 });
    expect(await grade(other, solution.toString())).toMatchObject({ exact: 0, format: 1 });
  });

  test("writes tests that install only from a registry that the sandbox has mapped the scope to", async () => {
    const folder = await temporaryFolder();
    await envsHere([
      "export",
      "harbor",
      "./environments/reverse-text",
      "--count",
      "1",
      "-o",
      folder,
    ]);
    const script = join(folder, "reverse-text-train-00000", "tests/test.sh");
    const home = await temporaryFolder();
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      npm_config_userconfig: join(home, ".npmrc"),
    };
    const { status, stderr } = spawnSync("bash", [script], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining("No registry is configured for @envs in this sandbox."),
    ]);
  });

  test("rejects environments with several turns or tools", async () => {
    const multiTurn = await envsHere(["export", "harbor", "./environments/tictactoe"]);
    expect([multiTurn.code, multiTurn.stderr]).toEqual([
      2,
      expect.stringContaining("Cannot export tictactoe to Harbor: it has several turns"),
    ]);
    const tools = await envsHere(["export", "harbor", "./environments/wiki-search"]);
    expect([tools.code, tools.stderr]).toEqual([
      2,
      expect.stringContaining("Cannot export wiki-search to Harbor: it has tools"),
    ]);
  });
});
