import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { loadEnvironment } from "../../src/environments/load-environment.ts";
import { checkCommandLine } from "../../src/main.ts";
import { loadModel } from "../../src/models/load-model.ts";
import { temporaryFolder } from "../command.ts";

const root = join(import.meta.dirname, "../../../..");

test.each([
  ["info tictactoe wordle", 'Unexpected argument "wordle". See: envs info --help'],
  ["eval @envs/tictactoe gpt-5-mini", 'Unexpected argument "gpt-5-mini". See: envs eval --help'],
  ["view outputs/a outputs/b", 'Unexpected argument "outputs/b".'],
  ["export sft run-1 run-2", 'Unexpected argument "run-2".'],
  ["init word-length single", 'Unexpected argument "single".'],
  ["explain timeout refused", 'Unexpected argument "refused".'],
  ["serve model tiny:base -m tiny:base", 'Unexpected argument "tiny:base".'],
  ["hub whoami me", 'Unexpected argument "me".'],
  ["publish . ../other", 'Unexpected argument "../other".'],
  ["hub org add lab grace admin now", 'Unexpected argument "now".'],
  ["instal tictactoe", 'Unknown command "instal". Did you mean envs install?'],
  [
    "suite publsh",
    'Unknown command "suite publsh". Did you mean envs suite publish? Commands: suite init,',
  ],
  ["diff before after", 'Unknown command "diff". Did you mean envs run diff?'],
  ["run resore", 'Unknown command "run resore". Did you mean envs run rescore?'],
  ["--versoin", 'Unknown option "--versoin". Did you mean envs --version?'],
  ["eval --hlep", "Unknown option --hlep. Did you mean --help?"],
  ["search --kin game", "Unknown option --kin. Did you mean --kind?"],
])("rejects envs %s", async (line, message) => {
  await expect(checkCommandLine(line.split(" "))).rejects.toThrow(message);
});

test.each([
  "serve @envs/tictactoe @envs/reverse-text",
  "install tictactoe reverse-text -- --ignore-scripts",
  "search tic tac toe",
  "publish . -- --provenance",
  "hub org role lab grace admin",
  "eval --resume",
])("accepts envs %s", async (line) => {
  await expect(checkCommandLine(line.split(" "))).resolves.toBeUndefined();
});

describe("an unknown environment", () => {
  test.each([
    ["tictacto", "Did you mean tictactoe?"],
    ["@envs/tic-tac-toe", "Did you mean @envs/tictactoe?"],
    ["./environments/tictacto", "Did you mean ./environments/tictactoe?"],
    ["environments/reverse-txt", "Did you mean environments/reverse-text?"],
    ["unheard-of", "Install it from a hub: envs install unheard-of."],
    ["./no-such-folder/game.ts", "no-such-folder does not exist"],
  ])("named %s is reported with a remedy", async (reference, message) => {
    await expect(loadEnvironment(reference, root)).rejects.toThrow(message);
  });

  test("with a path is reported with the most similar file", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "note.ts"), "");
    await mkdir(join(folder, "empty"));
    await expect(loadEnvironment("./nope.ts", folder)).rejects.toThrow("Did you mean ./note.ts?");
    await expect(loadEnvironment("./empty", folder)).rejects.toThrow("contains no environment");
  });
});

test.each([
  ["polcy:optimal", "Did you mean policy:optimal?"],
  ["Tiny:base", "Did you mean tiny:base?"],
  ["ggfu:./model.gguf", "Did you mean gguf:./model.gguf?"],
])("reports the prefix that the model %s may mean", async (name, message) => {
  const options = { endpoints: {}, concurrency: 1 };
  await expect(loadModel(name, options)).rejects.toThrow(message);
});

test("accepts a model of a server whose name has a colon", async () => {
  const options = { endpoints: {}, concurrency: 1, baseURL: "http://localhost:11434/v1" };
  await expect(loadModel("tinyllama:1b", options)).resolves.toMatchObject({
    baseURL: options.baseURL,
  });
});
