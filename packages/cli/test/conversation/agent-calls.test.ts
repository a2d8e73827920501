import { stripVTControlCharacters } from "node:util";

import { assistantMessage, defineEnvironment, type Message, type Model, rollout } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { expect, test } from "vitest";

import { agentCallLines } from "../../src/conversation/agent-calls.ts";
import { messageLines } from "../../src/conversation/message.ts";

const environment = defineEnvironment({
  name: "say",
  dataset: () => [{ prompt: "Where is Rome?" }],
  rubric: { fine: () => 1 },
})();

const user = (content: string): Message => ({ role: "user", content });
const tools = [{ name: "search", description: "", parameters: {} }];

function call(messages: readonly Message[], reply: string, hasTools = true): AgentCall {
  return {
    dialect: "chat",
    requestedModel: "gpt",
    messages,
    message: assistantMessage(reply),
    finish: "stop",
    usage: { inputTokens: 10, outputTokens: 2 },
    tokens: undefined,
    model: { start: 0, end: 1 },
    ...(hasTools && { tools }),
  };
}

async function shown(calls: readonly AgentCall[], isWhole: boolean): Promise<string> {
  const agent: Model = async () => ({
    message: assistantMessage("In Italy."),
    finish: "stop",
    calls,
  });
  const played = await rollout(environment, { prompt: "Where is Rome?" }, { model: agent });
  const lines = agentCallLines(played, { columns: 80, isWhole })(0);
  return stripVTControlCharacters(lines.join("\n"));
}

const question = user("Where is Rome?");
const title = call([user("Name this chat.")], "Rome", false);
const search = call([question], "I search.");
const answer = call([question, search.message, user("Found it.")], "In Italy.");

test("folds the calls of an agent to a line, and unfolds them with each message once", async () => {
  const calls = [title, search, answer];
  expect(await shown(calls, false)).toBe(
    "  ⤷ agent 3 calls, 30 in, 6 out, 1 beside the task, press a to show",
  );
  expect(await shown(calls, true)).toBe(
    [
      "  ⤷ agent 3 calls, 30 in, 6 out, 1 beside the task",
      "    call 1, beside the task",
      "    ? Name this chat.",
      "    = Rome",
      "    call 2",
      "    = I search.",
      "    call 3",
      "    ? Found it.",
      "    = In Italy.",
    ].join("\n"),
  );
});

test("does not show the calls of an agent that calls its model once per turn", async () => {
  expect(await shown([call([question], "In Italy.")], true)).toBe("");
});

test("shows the calls of an agent that failed below the last message", async () => {
  const agent: Model = async ({ onCall }) => {
    for (const each of [title, search]) onCall?.(each);
    throw new Error("My code is broken.");
  };
  const played = await rollout(environment, { prompt: "Where is Rome?" }, { model: agent });
  const lines = messageLines(played, { columns: 80, isWhole: true });
  expect(stripVTControlCharacters(lines.join("\n"))).toBe(
    [
      "",
      "user",
      "  Where is Rome?",
      "  ⤷ agent 2 calls, 20 in, 4 out, 1 beside the task",
      "    call 1, beside the task",
      "    ? Name this chat.",
      "    = Rome",
      "    call 2",
      "    = I search.",
    ].join("\n"),
  );
});
