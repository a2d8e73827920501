import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  type Message,
  type Model,
} from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { expect, test } from "vitest";

import { sft } from "../../../src/commands/export/formats/sft.ts";

const environment = defineEnvironment({
  name: "say",
  dataset: () => [{ prompt: "Where is Rome?" }],
  rubric: { fine: () => 1 },
})();

const tools = [{ name: "search", description: "", parameters: {} }];
const system: Message = { role: "system", content: "You search." };
const question: Message = { role: "user", content: "Where is Rome?" };

function call(messages: readonly Message[], reply: string, hasTools = true): AgentCall {
  return {
    dialect: "chat",
    requestedModel: "gpt",
    messages,
    message: assistantMessage(reply),
    finish: "stop",
    usage: undefined,
    tokens: undefined,
    model: { start: 0, end: 1 },
    ...(hasTools && { tools }),
  };
}

test("exports an agent's conversations with its model with --branches, without calls beside its task", async () => {
  const more: Message = { role: "user", content: "Found it." };
  const calls = [
    call([question], "A title", false),
    call([system, question], "I search."),
    call([system, question, assistantMessage("I search."), more], "In Italy."),
    call([{ role: "user", content: "A sub-agent" }], "Helped."),
    {
      ...call(
        [
          system,
          question,
          assistantMessage("I search."),
          more,
          assistantMessage("In Italy."),
          more,
        ],
        "In It",
      ),
      error: "The client disconnected.",
    },
  ];
  const agent: Model = async () => ({
    message: assistantMessage("In Italy."),
    finish: "stop",
    calls,
  });
  const { rollouts } = await evaluate(environment, { model: agent, rolloutsPerExample: 1 });
  const source = { rollouts, clauses: [], tools: undefined, model: "agent" };
  const chats = (branches: boolean): readonly (readonly string[])[] =>
    sft(source, { isBare: true, branches })
      .files[0]!.text.trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly messages: readonly Message[] })
      .map(({ messages }) => messages.map(({ content }) => content as string));
  expect(chats(false)).toEqual([["Where is Rome?", "In Italy."]]);
  expect(chats(true).slice(1)).toEqual([
    ["You search.", "Where is Rome?", "I search.", "Found it.", "In Italy."],
    ["A sub-agent", "Helped."],
  ]);
});

test("exports no replies of helpers", async () => {
  const worker = { ...call([question], "In Italy."), requestedModel: "worker", isHelper: true };
  const calls = [
    call([system, question], "I ask."),
    worker,
    call([question, worker.message, question], "Rome."),
  ];
  const [whole, own] = await Promise.all(
    [calls.slice(0, 2), calls].map((made) => {
      const message = made.at(-1)!.message;
      const agent: Model = async () => ({ message, finish: "stop", calls: made });
      return evaluate(environment, { model: agent, rolloutsPerExample: 1 });
    }),
  );
  const rollouts = [whole!, own!].flatMap((each) => each.rollouts);
  const source = { rollouts, clauses: [], tools: undefined, model: "agent" };
  const { files, notes } = sft(source, { isBare: true, branches: true });
  const contents = files[0]!.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).messages.map((each: Message) => each.content));
  expect(contents).toEqual([
    ["Where is Rome?", "Rome."],
    ["You search.", "Where is Rome?", "I ask."],
    ["You search.", "Where is Rome?", "I ask."],
  ]);
  expect(notes).toEqual(["kept      1 of 2 rollouts; excluded: 1 of a helper"]);
});
