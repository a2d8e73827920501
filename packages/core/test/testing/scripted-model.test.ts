import { assistantMessage, type Message, type ModelRequest, textOf, userMessage } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

function request(messages: readonly Message[]): ModelRequest {
  return { messages, signal: new AbortController().signal };
}

function conversation(turns: number): Message[] {
  return Array.from({ length: turns }, () => [userMessage("Go on."), assistantMessage("Yes.")])
    .flat()
    .concat(userMessage("And now?"));
}

test("answers the n-th turn with the n-th reply, and later turns with the last", async () => {
  const model = scriptedModel("one", "two");
  const replies = await Promise.all([0, 1, 2, 9].map((n) => model(request(conversation(n)))));
  expect(replies.map(({ message }) => message.content)).toEqual(["one", "two", "two", "two"]);
});

test("does not mix up concurrent conversations", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 50 }), async (turns) => {
      const model = scriptedModel("0", "1", "2", "3", "4");
      const replies = await Promise.all(turns.map((n) => model(request(conversation(n)))));
      expect(replies.map(({ message }) => Number(message.content))).toEqual(turns);
    }),
  );
});

test("accepts a message with tool calls", async () => {
  const call = { id: "1", type: "function", function: { name: "look", arguments: "{}" } } as const;
  const model = scriptedModel({ ...assistantMessage(""), tool_calls: [call] });
  const response = await model(request([userMessage("Look.")]));
  expect(response).toEqual({
    message: { role: "assistant", content: "", tool_calls: [call] },
    finish: "tool_calls",
  });
});

test("accepts a whole response", async () => {
  const model = scriptedModel({ message: assistantMessage("One, two,"), finish: "length" });
  expect((await model(request([userMessage("Count.")]))).finish).toBe("length");
});

test("accepts a function of the request", async () => {
  const model = scriptedModel(
    async ({ messages }) => `Reply to ${textOf(messages.at(-1)!.content)}`,
  );
  expect((await model(request([userMessage("hello")]))).message.content).toBe("Reply to hello");
});

test("throws a reply that is an error", async () => {
  const model = scriptedModel(new Error("The model is out."));
  await expect(model(request([userMessage("Hello?")]))).rejects.toThrow("The model is out.");
});

test("rejects an aborted request", async () => {
  const model = scriptedModel("late");
  const signal = AbortSignal.abort(new Error("Enough."));
  await expect(model({ messages: [userMessage("Hello?")], signal })).rejects.toThrow("Enough.");
});

test("rejects a script without replies", () => {
  expect(() => scriptedModel()).toThrow("at least one reply");
});
