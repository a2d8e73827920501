// A program edits files, and the environment scores what it leaves. Models without a folder could play it with tools.
import { defineEnvironment, evaluate, policy, textOf } from "@envs/core";
import { agentProgram } from "@envs/gateway";

const translate = defineEnvironment({
  name: "translate",
  dataset: () => [{ prompt: "Translate hello.txt to French.", answer: "bonjour" }],
  setup: () => ({ text: "hello" }),
  workspace: {
    files: ({ state }) => ({ "hello.txt": state.text }),
    save({ state, files }) {
      state.text = files["hello.txt"] ?? "";
    },
  },
  rubric: { correct: ({ state, example }) => state.text.trim() === example.answer },
  policies: { idle: () => "Done." },
});

// Any program, such as agentPreset("pi", { model: openai("gpt-5") }). This one does not ask its model.
const program = agentProgram({
  command: "/bin/sh",
  args: ["-c", "echo bonjour > hello.txt; echo Done."],
  model: policy("idle"),
});

const { reward, rollouts } = await evaluate(translate(), { model: program, rolloutsPerExample: 1 });
for (const { role, content } of rollouts[0]!.completion)
  console.log(`${role}: ${textOf(content)}`.trim());
console.log(`reward ${reward.mean}`);
