import { expect, test } from "vitest";

import { loadModel } from "../../../cli/src/models/load-model.ts";

const options = { endpoints: {}, concurrency: 1, baseURL: "http://127.0.0.1:1/v1" };

test("loads a program with a dialect and the model that it asks", async () => {
  const { model, baseURL } = await loadModel("program:pi:messages@small", options);
  expect(model.id).toBe("pi with small");
  expect(baseURL).toBe(options.baseURL);
});

test.each([
  [
    "an unknown program",
    "program:emacs@small",
    "There are presets for pi, codex, opencode, claude-code, gemini-cli, qwen-code.",
  ],
  [
    "a dialect that the program does not speak",
    "program:codex:chat@small",
    "Choose one of responses.",
  ],
  ["a program without a model", "program:pi", "-m program:pi@gpt-5-mini"],
])("rejects %s", async (_, name, message) => {
  await expect(loadModel(name, options)).rejects.toThrow(message);
});
