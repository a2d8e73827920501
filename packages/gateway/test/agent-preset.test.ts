import { assistantMessage, defineEnvironment, rollout } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agentPreset, type DialectName } from "@envs/gateway";
import { expect, test, vi } from "vitest";

const question = defineEnvironment({
  name: "question",
  dataset: () => [{ prompt: "Name a colour." }],
  rubric: { red: ({ completion }) => completion[0]?.content === "red" },
});
const model = scriptedModel(assistantMessage("red"));

test.each([
  ["pi", "npm install -g @earendil-works/pi-coding-agent"],
  ["codex", "npm install -g @openai/codex"],
  ["opencode", "npm install -g opencode-ai"],
  ["claude-code", "npm install -g @anthropic-ai/claude-code"],
])("names the command that installs %s if it is missing", async (name, command) => {
  vi.stubEnv("PATH", "");
  const played = await rollout(
    question(),
    { prompt: "Name a colour." },
    { model: agentPreset(name, { model }) },
  );
  vi.unstubAllEnvs();
  expect(played).toMatchObject({
    status: "failed",
    error: {
      code: "agent",
      isFatal: true,
      message: expect.stringContaining(`Install it: ${command}`),
    },
  });
});

test("has the name of the program and of its model", () => {
  expect(agentPreset("pi", { model }).id).toBe("pi with scripted");
});

test("rejects a program and a dialect that it does not know", () => {
  expect(() => agentPreset("emacs")).toThrow(
    "There are presets for pi, codex, opencode, claude-code, gemini-cli, qwen-code.",
  );
  expect(() => agentPreset("codex", { dialect: "messages" as DialectName })).toThrow(
    'codex does not speak "messages" here. Choose one of responses.',
  );
});
