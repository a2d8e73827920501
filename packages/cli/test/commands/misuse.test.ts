import { expect, onTestFinished, test, vi } from "vitest";

import { localCommands, run } from "../../src/main.ts";
import { packageCommands } from "../../src/packages/package-commands.ts";
import type { EnvsCommand } from "../../src/terminal/command.ts";

/** Runs a command line in this process. Returns the exit code and what it prints. */
async function envs(line: string) {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  const code = await run(line.split(" ").filter((word) => word !== ""));
  return { code, output: written.join("") };
}

/** The arguments with which each command reads its other options. */
const lines: Readonly<Record<string, string>> = {
  eval: "tictactoe -m policy:optimal",
  info: "tictactoe",
  view: "no-such-run",
  "run report": "no-such-run --html",
  play: "tictactoe",
  init: "word-length",
  check: "tictactoe",
  "run replay": "tictactoe",
  "run diff": "no-such-run no-such-run",
  "run import": "no-such-job",
  "run rescore": "no-such-run",
  "run scan": "no-such-run",
  "judge calibrate": "no-such-file.jsonl --environment tictactoe",
  completion: "",
  explain: "",
  audit: "tictactoe",
  optimize: "tictactoe -m policy:optimal --reflection gpt-5",
  serve: "tictactoe",
  "serve mcp": "tictactoe",
  "serve model": "-m tiny:base",
  train: "tictactoe",
  "train adapter": "no-such-run --name @you/adapter",
  "train rollouts": "--environment tictactoe",
  synth: "tictactoe -m policy:optimal",
  export: "nemo tictactoe",
  "run reproduce": "1f0c9a7d2b3e4f5a",
  "suite run": "no-such-suite -m policy:optimal",
};

/** Options whose values are numbers. */
const numeric = new Set(["count", "number", "seconds", "port"]);

const commands = { ...localCommands, ...packageCommands };
const names = Object.keys(commands);

async function commandOf(name: string): Promise<EnvsCommand> {
  return await commands[name]!.load();
}

test.for(names)("envs %s returns 2 for an unknown option and a surplus argument", async (name) => {
  const { passesArguments, maxPositionals } = await commandOf(name);
  if (passesArguments === true) return;
  expect(await envs(`${name} --no-such-option`)).toMatchObject({
    code: 2,
    output: expect.stringContaining("Unknown option --no-such-option") as string,
  });
  if (maxPositionals !== Infinity)
    expect(await envs(`${name} a b c d e f`)).toHaveProperty("code", 2);
});

test.for(names)("envs %s returns 2 for values that are not numbers or URLs", async (name) => {
  const { args = {} } = await commandOf(name);
  const options = Object.entries(typeof args === "function" ? await args() : await args)
    .filter(([option, definition]) => {
      const { valueHint = "" } = definition as { readonly valueHint?: string };
      return (
        definition.type === "string" && (numeric.has(valueHint) || option.endsWith("base-url"))
      );
    })
    .map(([option]) => option);
  for (const option of options)
    expect(await envs(`${name} ${lines[name] ?? ""} --${option}=junk`), option).toHaveProperty(
      "code",
      2,
    );
});

const policy = "eval tictactoe -m policy:optimal";

test.for([
  [`${policy} --json=yes`, "--json does not take a value"],
  [`${policy} --resume no-such-run --save elsewhere`, "--save cannot be combined with --resume"],
  [`${policy} --resume no-such-run --plan weekly`, "cannot be combined with --resume"],
  [`${policy} --resume no-such-run`, "no-such-run"],
  [`${policy} --registry http://localhost:1`, "Add --push."],
  [`${policy} --base-url http://127.0.0.1:1/v1`, "Remove it."],
  [`${policy} --sub-model-base-url http://127.0.0.1:1/v1`, "Add --sub-model."],
  [`${policy} --select 9-1`, "--select has the range 9-1"],
  [`${policy} --split no-such-split`, "no-such-split"],
  [`${policy} --config-file no-such-file.ts`, "no-such-file.ts"],
  [`${policy} --prompts no-such-file.json`, "no-such-file.json"],
  ["eval tictactoe -m policy:no-such-policy", "no-such-policy"],
  ["eval tictactoe", "Missing model"],
  ["synth tictactoe -m policy:optimal --resume a --save b", "--save cannot be combined"],
  ["train tictactoe --resume a --save b", "--save cannot be combined"],
  ["optimize tictactoe --resume a --save b", "--save cannot be combined"],
  ["train adapter", "Missing run folder"],
  ["view no-such-run", "no-such-run"],
  ["view --web no-such-run", "does not exist"],
  ["view --list no-such-run", "A run has no effect with --list."],
  ["view no-such-run --port 80", "--port has no effect without --web."],
  ["view no-such-run --reverse", "--reverse has no effect without --sort."],
  ["play tictactoe --port 80", "--port has no effect without --web."],
  ["check tictactoe --solve no-such-policy", "no-such-policy"],
  ["explain no-such-code", "no-such-code"],
  ["export sft no-such-run", "no-such-run"],
  ["export trl tictactoe --seed 3", "--seed does not apply to trl."],
] as const)("envs %s returns 2", async ([line, message]) => {
  expect(await envs(line)).toMatchObject({
    code: 2,
    output: expect.stringContaining(message) as string,
  });
});
