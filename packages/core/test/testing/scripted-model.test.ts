import { assistant, type Message, type ModelRequest, user } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

function request(messages: readonly Message[]): ModelRequest {
  return { messages, signal: new AbortController().signal };
}

function conversation(turns: number): Message[] {
  return Array.from({ length: turns }, () => [user("Go on."), assistant("Yes.")])
    .flat()
    .concat(user("And now?"));
}

test("the n-th turn of a conversation gets the n-th reply, and the last one from then on", async () => {
  const model = scriptedModel("one", "two");
  const replies = await Promise.all([0, 1, 2, 9].map((n) => model(request(conversation(n)))));
  expect(replies.map(({ message }) => message.content)).toEqual(["one", "two", "two", "two"]);
});

test("concurrent conversations do not disturb each other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 50 }), async (turns) => {
      const model = scriptedModel("0", "1", "2", "3", "4");
      const replies = await Promise.all(turns.map((n) => model(request(conversation(n)))));
      expect(replies.map(({ message }) => Number(message.content))).toEqual(turns);
    }),
  );
});

test("a reply may be a message with tool calls", async () => {
  const call = { id: "1", type: "function", function: { name: "look", arguments: "{}" } } as const;
  const model = scriptedModel({ ...assistant(""), tool_calls: [call] });
  const response = await model(request([user("Look.")]));
  expect(response).toEqual({
    message: { role: "assistant", content: "", tool_calls: [call] },
    finish: "tool_calls",
  });
});

test("a reply may be a whole response", async () => {
  const model = scriptedModel({ message: assistant("One, two,"), finish: "length" });
  expect((await model(request([user("Count.")]))).finish).toBe("length");
});

test("a reply may be a function of the request", async () => {
  const model = scriptedModel(async ({ messages }) => `You said ${messages.at(-1)?.content}`);
  expect((await model(request([user("hello")]))).message.content).toBe("You said hello");
});

test("a reply that is an error is thrown", async () => {
  const model = scriptedModel(new Error("The model is out."));
  await expect(model(request([user("Hello?")]))).rejects.toThrow("The model is out.");
});

test("a cancelled request is not answered", async () => {
  const model = scriptedModel("late");
  const signal = AbortSignal.abort(new Error("Enough."));
  await expect(model({ messages: [user("Hello?")], signal })).rejects.toThrow("Enough.");
});

test("a script without replies is refused", () => {
  expect(() => scriptedModel()).toThrow("at least one reply");
});
