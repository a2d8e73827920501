import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  assistantMessage,
  defineEnvironment,
  type Message,
  policy,
  rollouts,
  userMessage,
} from "@envs/core";
import { parseMetadata, toChat, toRow } from "@envs/records";
import { createRun, readChats } from "@envs/records/node";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-chats-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Reads a file of these lines. */
async function chatsOf(lines: readonly unknown[]) {
  const file = join(await folder(), "chats.jsonl");
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  await writeFile(file, texts.join("\n"));
  return collect(readChats(file));
}

const call = {
  role: "assistant",
  content: "",
  reasoning_content: "I look.",
  tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: '{"at":3}' } }],
} as const;
const answered = { role: "tool", tool_call_id: "1", content: "a cat" } as const;

/** An environment whose replies are sometimes right and sometimes fail. */
const sums = defineEnvironment({
  name: "sums",
  systemPrompt: "Add.",
  dataset: () => [0, 1, 2, 3].map((answer) => ({ prompt: `${answer}+0`, answer })),
  rubric: {
    right({ example, reply }) {
      if (example.answer === 3) throw new Error("I cannot count to three.");
      return Number(reply === String(example.answer));
    },
  },
  policies: { one: () => "1" },
});

const played = () => collect(rollouts(sums(), { model: policy("one"), rolloutsPerExample: 1 }));

describe("readChats()", () => {
  test("reads a line of chat JSONL without changing its messages", async () => {
    const messages: Message[] = [
      userMessage("What is there?"),
      call,
      answered,
      assistantMessage("A cat."),
    ];
    expect(await chatsOf([{ messages, reward: 1, anything: { else: null } }])).toEqual([
      { messages },
    ]);
  });

  test("reads every conversation that toChat() writes", async () => {
    const message = fc.oneof(
      fc.string({ unit: "binary" }).map(userMessage),
      fc.string({ unit: "binary" }).map(assistantMessage),
      fc.constantFrom(call, answered),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message), fc.array(message), async (before, after) => {
        const [rollout] = await played();
        const prompt = [userMessage("?"), ...before];
        const completion = [assistantMessage("!"), ...after];
        const chat = toChat({ ...rollout!, prompt, completion });
        expect(await chatsOf([chat])).toEqual([{ messages: [...prompt, ...completion] }]);
      }),
      { numRuns: 50 },
    );
  });

  test("reads lines with a prompt and a completion, as text or as messages", async () => {
    const messages = [userMessage("2+2"), assistantMessage("4")];
    expect(
      await chatsOf([
        { prompt: "2+2", completion: "4" },
        { prompt: [messages[0]], completion: [messages[1]] },
      ]),
    ).toEqual([{ messages }, { messages }]);
  });

  test("reads a run's results or folder and skips failed rollouts", async () => {
    const path = join(await folder(), "run");
    const metadata = parseMetadata({ env_id: "sums", model: "policy:one" });
    const run = await createRun(path, metadata);
    for (const rollout of await played()) await run.append(rollout);
    await run.close();
    const expected = ["0+0", "1+0", "2+0"].map((question) => ({
      messages: [{ role: "system", content: "Add." }, userMessage(question), assistantMessage("1")],
    }));
    expect(await collect(readChats(join(path, "results.jsonl")))).toEqual(expected);
    expect(await collect(readChats(path))).toEqual(expected);
  });

  test("converts messages of other writers", async () => {
    const parts = [
      { type: "text", text: "A " },
      { type: "text", text: "cat." },
    ];
    const line = {
      messages: [userMessage("?"), { role: "assistant", content: parts, reasoning: "Look." }],
    };
    expect(await chatsOf([line])).toMatchObject([
      {
        messages: [userMessage("?"), { ...assistantMessage("A cat."), reasoning_content: "Look." }],
      },
    ]);
  });
});

test.for([
  ["{", "is not JSON"],
  [[], "expected object"],
  [{ text: "Hello" }, 'It has neither "messages" nor "prompt" and "completion".'],
  [{ messages: [] }, "It has no assistant message"],
  [{ prompt: "2+2" }, "It has no assistant message"],
  [{ messages: [userMessage("?"), { role: "human", content: "!" }] }, "at messages[1].role"],
  [{ messages: [{ role: "assistant" }] }, "It has neither content nor tool calls."],
] as const)("rejects the line %j with its number", async ([line, problem]) => {
  const good = { messages: [assistantMessage("Hello.")] };
  const reading = chatsOf([good, line]);
  await expect(reading).rejects.toMatchObject({ name: "ConfigError" });
  await expect(reading).rejects.toThrow(/chats\.jsonl:2 /);
  await expect(reading).rejects.toThrow(problem);
});

test("rejects a file that does not exist", async () => {
  const reading = collect(readChats(join(await folder(), "nothing.jsonl")));
  await expect(reading).rejects.toThrow(/Cannot read .*nothing\.jsonl/);
});

describe("toChat()", () => {
  test("writes the messages, the tools and the origin", async () => {
    const [, rollout] = await played();
    const tool = { name: "look", description: "Look", parameters: { type: "object" } };
    expect(toChat(rollout!, { tools: [tool], model: "policy:one" })).toEqual({
      messages: [{ role: "system", content: "Add." }, userMessage("1+0"), assistantMessage("1")],
      tools: [{ type: "function", function: tool }],
      environment: "sums",
      model: "policy:one",
      example_key: rollout!.exampleKey,
      rollout_index: 0,
      reward: 1,
    });
  });

  test("does not write a field that a trainer would use as a prompt", async () => {
    const [rollout] = await played();
    const row = toChat(rollout!);
    expect(Object.keys(row).filter((name) => Object.hasOwn(toRow(rollout!), name))).toEqual([
      "environment",
      "example_key",
      "rollout_index",
      "reward",
    ]);
    expect(row).not.toHaveProperty("prompt");
  });
});
