import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { configFlag } from "../../../trainer/src/commands/export/training-source.ts";
import { envs, temporaryFolder } from "../command.ts";

/** The words that a shell splits a printed command into. */
function wordsOf(command: string): readonly string[] {
  const output = execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" });
  return output.split("\n").slice(0, -1);
}

test("prints a command that opens a run below a folder with spaces and quotes", async () => {
  const outputs = join(await temporaryFolder(), "Ada's runs (1)");
  await mkdir(outputs);
  const model = "policy:mixed(0.3)";
  const args = ["eval", "tictactoe", "-m", model, "-n", "1", "-r", "1", "--save", outputs];
  const { stdout, code } = await envs(args);
  expect(code).toBe(0);
  const printed = /envs view (?<run>.+)/.exec(stdout)?.groups?.["run"] ?? "";
  const [run = ""] = wordsOf(printed);
  expect(run.startsWith(outputs)).toBe(true);
  const viewed = await envs(["view", ...wordsOf(printed), "--json"]);
  expect(JSON.parse(viewed.stdout)).toMatchObject({ run, metadata: { model } });
});

test("prints a config that a shell passes on unchanged", () => {
  const config = { text: `it's "$HOME" & more`, list: [1, 2] };
  expect(wordsOf(configFlag(config).join(" "))).toEqual(["--config", JSON.stringify(config)]);
});
