import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { assistantMessage, type Environment, textOf } from "@envs/core";
import { examples } from "@envs/core/engine";
import { modelServer } from "@envs/models/testing";
import { findRuns } from "@envs/records/node";
import reverseText from "@envs/reverse-text";
import { describe, expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../../cli/test/command.ts";

const run = promisify(execFile);
const scripts = join(import.meta.dirname, "../python");
const reverse = "./environments/reverse-text";
const tictactoe = "./environments/tictactoe";
const search = "./environments/wiki-search";

/** Runs a script in `test/python` and parses the last line of its output as JSON. */
async function runPython(script: string, args: readonly string[], cwd?: string): Promise<unknown> {
  const python = process.env["ENVS_PYTHON"];
  if (python === undefined)
    throw new Error("These tests need Python packages. Run them with pnpm test:clients.");
  const options = { maxBuffer: 2 ** 26, ...(cwd === undefined ? {} : { cwd }) };
  const { stdout } = await run(python, [join(scripts, script), ...args], options);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

async function exportFiles(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await envsHere(["export", ...args]);
  expect(code, stderr).toBe(0);
}

async function playRun(args: readonly string[]): Promise<string> {
  const save = await temporaryFolder();
  const { code, stderr } = await envsHere(["eval", reverse, ...args, "--save", save]);
  expect(code, stderr).toBe(0);
  return (await findRuns(save))[0]!;
}

async function promptsOf(environment: Environment, count: number): Promise<readonly string[]> {
  const rows = await Array.fromAsync(examples(environment, { count }));
  return rows.map(({ example }) =>
    typeof example.prompt === "string" ? example.prompt : textOf(example.prompt.at(-1)!.content),
  );
}

describe("the libraries of trainers can read", () => {
  test("tables of runs of different environments, with datasets and pandas", async () => {
    const folder = await temporaryFolder();
    const files: string[] = [];
    for (const [environment, policy] of [
      [reverse, "perfect"],
      [tictactoe, "optimal"],
    ] as const) {
      const args = ["eval", environment, "-m", `policy:${policy}`, "-n", "2", "-r", "1"];
      expect(await envsHere([...args, "--save", folder])).toHaveProperty("code", 0);
      const [run] = await findRuns(folder);
      files.push(join(folder, `${policy}.parquet`));
      await exportFiles("parquet", run!, "-o", files.at(-1)!);
    }
    const table = (await runPython("concatenate.py", files)) as Record<string, unknown[]>;
    expect(table["environments"]).toEqual([
      "reverse-text",
      "reverse-text",
      "tictactoe",
      "tictactoe",
    ]);
    expect(table["scores"]![0]).toContain("exact");
    expect(table["roles"]![0]).toEqual(["assistant"]);
    expect(table["rewards"]).toHaveLength(4);
  });

  test("conversations and samples, with datasets and the chat template of transformers", async () => {
    const folder = await temporaryFolder();
    const answer = "<reversed>no</reversed>";
    const ids = Array.from(answer, (letter) => letter.codePointAt(0)!);
    await using server = await modelServer({
      answer: () => ({
        message: assistantMessage(answer),
        finish: "stop",
        tokens: { promptIds: [1, 2], completionIds: ids, completionLogprobs: ids.map(() => -0.5) },
      }),
    });
    const model = ["-m", "model", "--base-url", server.url, "--tokens", "-n", "2", "-r", "1"];
    const [policyRun, sampledRun] = [
      await playRun(["-m", "policy:perfect", "-n", "3", "-r", "1"]),
      await playRun(model),
    ];
    const [chats, samples] = [join(folder, "chats.jsonl"), join(folder, "samples.jsonl")];
    await exportFiles("sft", policyRun, "--where", "exact == 1", "-o", chats);
    await exportFiles("samples", sampledRun, "-o", samples);
    const result = (await runPython("rows.py", [chats, samples])) as {
      readonly columns: readonly string[];
      readonly written: readonly { readonly text: string; readonly taught: string }[];
      readonly samples: Readonly<Record<string, string>>;
      readonly lengths: readonly (readonly number[])[];
    };
    expect(result.columns).toContain("messages");
    const prompts = await promptsOf(reverseText(), 3);
    expect(result.written).toHaveLength(3);
    for (const [index, { text, taught }] of result.written.entries()) {
      expect(text).toContain(`<|user|>${prompts[index]}<|assistant|>${taught}`);
      expect(taught).toMatch(/<reversed>.+<\/reversed>/su);
    }
    expect(result.samples).toMatchObject({
      input_ids: expect.stringContaining("int64"),
      logprobs: expect.stringContaining("float64"),
    });
    expect(result.lengths).toEqual([0, 1].map(() => [25, 25, 25]));
  });

  test("task folders, with Harbor", async () => {
    const folder = await temporaryFolder();
    await exportFiles("harbor", reverse, "-n", "2", "-o", folder);
    const prompts = await promptsOf(reverseText(), 2);
    expect(await runPython("harbor_tasks.py", [folder])).toEqual(
      prompts.map((prompt, index) => ({
        name: `reverse-text/reverse-text-train-0000${index}`,
        instruction: expect.stringContaining(prompt) as string,
        image: "node:24-slim",
      })),
    );
  });

  test("trajectories and jobs, with Harbor's own code", async () => {
    const folder = await temporaryFolder();
    for (const args of [
      [search, "-m", "policy:oracle"],
      ["./environments/kuhn-poker", "-m", "policy:honest"],
    ]) {
      const save = await temporaryFolder();
      const { code, stderr } = await envsHere([
        "eval",
        ...args,
        "-n",
        "2",
        "-r",
        "2",
        "--save",
        save,
      ]);
      expect(code, stderr).toBe(0);
      for (const format of ["atif", "harbor-job"]) {
        const out = join(folder, format, args[0]!);
        await exportFiles(format, (await findRuns(save))[0]!, "-o", out);
        const names = (await readdir(out, { recursive: true })).filter((name) =>
          name.endsWith(".json"),
        );
        expect(await runPython("trajectories.py", [out])).toEqual(
          Object.fromEntries(names.map((name) => [name, []])),
        );
      }
    }
  });

  test("scripts, with Python and bash, and configurations, with YAML", async () => {
    const folder = await temporaryFolder();
    for (const [index, environment] of [tictactoe, search].entries()) {
      const [script, shell, gym] = [`trl${index}.py`, `skyrl${index}.sh`, `gym${index}`].map(
        (name) => join(folder, name),
      ) as [string, string, string];
      await exportFiles("trl", environment, "-n", "2", "-o", script);
      await exportFiles("skyrl", environment, "-n", "2", "-o", shell);
      await exportFiles("verl", environment, "-n", "2", "-o", gym);
      const { stderr } = await run("bash", ["-n", shell]);
      expect(stderr).toBe("");
      const all = await readdir(gym, { recursive: true });
      const files = all.filter((name) => /\.(?:py|yaml)$/u.test(name)).toSorted();
      expect(files).toHaveLength(3);
      const configurations = await runPython("programs.py", [
        script,
        ...files.map((name) => join(gym, name)),
      ]);
      const id = ["tictactoe", "wiki_search"][index]!;
      expect(configurations).toMatchObject({
        [`${id}.yaml`]: {
          [`${id}_resources_server`]: { resources_servers: { [id]: { entrypoint: "app.py" } } },
        },
        "verl.yaml": expect.anything(),
      });
    }
  });
});
