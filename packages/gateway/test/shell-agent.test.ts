import {
  assistantMessage,
  callTools,
  defineEnvironment,
  type Message,
  type Model,
  rollout,
  RolloutError,
  textOf,
} from "@envs/core";
import { shellAgent } from "@envs/gateway";
import { expect, test } from "vitest";
import * as z from "zod";

const machine = defineEnvironment({
  name: "machine",
  systemPrompt: "You work by the tool bash.",
  dataset: () => [{ prompt: "Find the word." }],
  tools: {
    bash: {
      description: "Runs a command.",
      input: z.object({ command: z.string() }),
      execute: ({ command }) => (command === "cat word" ? "sesame" : "x".repeat(150_000)),
    },
  },
  episode: { maxTurns: 20 },
  rubric: { correct: ({ completion }) => textOf(completion.at(-1)!.content) === "sesame" },
});
const run = (command: string) => callTools([["bash", { command }]]);

/** Plays with a model that replies in this order, and returns what the model received each time. */
async function play(...replies: readonly (ReturnType<typeof run> | RolloutError)[]) {
  const received: (readonly Message[])[] = [];
  const model: Model = async ({ messages }) => {
    received.push(messages);
    const reply = replies[received.length - 1]!;
    if (reply instanceof RolloutError) throw reply;
    return { message: reply, finish: "stop" };
  };
  const result = await rollout(
    machine(),
    { prompt: "Find the word." },
    { model: shellAgent({ model }) },
  );
  return { result, received };
}

test("our own agent calls the environment's tools, as an ordinary rollout", async () => {
  const { result, received } = await play(run("cat word"), assistantMessage("sesame"));
  expect(result).toMatchObject({ status: "scored", reward: 1, tools: { bash: { calls: 1 } } });
  expect(result.completion.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  expect(received[0]!.slice(1).map(({ content }) => content)).toEqual([
    "You work by the tool bash.",
    "Find the word.",
  ]);
});

test("our own agent asks again after an empty reply and arguments that are not JSON", async () => {
  const broken = { ...run("cat word"), tool_calls: [{ ...run("x").tool_calls![0]! }] };
  broken.tool_calls[0]!.function = { name: "bash", arguments: "{command" };
  const { result, received } = await play(assistantMessage(""), broken, assistantMessage("sesame"));
  expect(result).toMatchObject({ status: "scored", reward: 1 });
  expect(textOf(received[1]!.at(-1)!.content)).toContain("Your reply was empty or cut.");
  expect(textOf(received[2]!.at(-1)!.content)).toContain("The arguments are not JSON");
});

test("our own agent shortens old outputs of long conversations, and all if the model has no room", async () => {
  const overflow = new RolloutError("model", "Too many tokens.", { isOverflow: true, status: 400 });
  const { result, received } = await play(
    run("a"),
    run("b"),
    overflow,
    overflow,
    run("c"),
    assistantMessage("sesame"),
  );
  expect(result).toMatchObject({ status: "scored", reward: 1 });
  const lengths = received.map((messages) =>
    messages.filter(({ role }) => role === "tool").map(({ content }) => content.length),
  );
  expect(lengths[1]).toEqual([150_000]);
  expect(lengths[2]).toEqual([830, 150_000]);
  expect(lengths[4]!.every((length) => length < 1_000)).toBe(true);
});
