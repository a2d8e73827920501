import { mkdtempSync, readFileSync, appendFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isReadable, parseRow, toRow } from "@envs/records";
import { judgeFile } from "@envs/records/node";
import { expect, onTestFinished, test, vi } from "vitest";

import { episode, sharedJudges } from "../../src/engine.ts";
import {
  ConfigError,
  defineEnvironment,
  evaluate,
  type Model,
  rollout,
  RolloutError,
  userMessage,
} from "../../src/index.ts";
import { checkEnvironment, scriptedModel } from "../../src/testing/index.ts";

const judged = defineEnvironment({
  name: "judged",
  dataset: () => [{ prompt: "Write A." }, { prompt: "Write B." }],
  rubric: {
    good: {
      needs: ["judge"],
      judge: { prompt: "p1", model: "openai:x" },
      async score({ reply, judge }) {
        const { message } = await judge!({ messages: [userMessage(`Good? ${reply}`)], seed: 0 });
        return { score: Number(message.content), feedback: `The judge says ${message.content}.` };
      },
    },
    short: { weight: 0.5, score: ({ reply }) => reply.length < 5 },
  },
});

function named(id: string, model: Model): Model {
  return Object.assign(async (request: Parameters<Model>[0]) => model(request), { id });
}

function answering(text: string, usage = { inputTokens: 10, outputTokens: 2 }) {
  const model = vi.fn<Model>(async () => ({
    message: { role: "assistant", content: text },
    finish: "stop",
    usage,
  }));
  return { model, judge: named("judge-a", model) };
}

test("asks a judge once for equal replies, and records what it cost", async () => {
  const { model, judge } = answering("1");
  const { rollouts, judgeUsage, reward } = await evaluate(judged(), {
    model: scriptedModel("Yes."),
    judge,
    rolloutsPerExample: 4,
  });
  expect(model).toHaveBeenCalledTimes(1);
  expect(reward.mean).toBe(1.5);
  expect(judgeUsage).toEqual({
    "judge-a": { calls: 1, cached: 7, inputTokens: 10, outputTokens: 2, unknownCalls: 0 },
  });
  expect(rollouts[3]).toMatchObject({ feedback: { good: "The judge says 1." } });
});

test("writes what a judge cost into the row, and reads it", async () => {
  const { judge } = answering("1");
  const played = await rollout(
    judged(),
    { prompt: "Write A." },
    { model: scriptedModel("A"), judge },
  );
  const row = toRow(played);
  expect(row.judge_usage).toEqual({
    "judge-a": { calls: 1, cached: 0, input_tokens: 10, output_tokens: 2, unknown_calls: 0 },
  });
  const read = parseRow(JSON.stringify(row));
  expect(isReadable(read) && read.judgeUsage).toEqual(played.judgeUsage);
});

test("throws before the first model call if the run has no judge", async () => {
  const model = vi.fn<Model>();
  await expect(evaluate(judged(), { model })).rejects.toThrow(
    new ConfigError(
      "The score good of judged asks a judge, and none was passed. Pass a model as the option judge, as in evaluate(environment, { model, judge }), or on the command line: --judge gpt-5-mini. The author wrote it for openai:x.",
    ),
  );
  expect(model).not.toHaveBeenCalled();
});

test("fails a rollout with the code score if its judge fails", async () => {
  const judge = named(
    "judge-a",
    scriptedModel(new RolloutError("model", "503 from the server", { isFatal: true })),
  );
  const played = await rollout(
    judged(),
    { prompt: "Write A." },
    { model: scriptedModel("A"), judge },
  );
  expect(played).toMatchObject({
    status: "failed",
    error: {
      code: "score",
      isFatal: true,
      message: "The judge judge-a failed: 503 from the server",
    },
  });
});

test("fails a rollout with the code score if its judge takes too long", async () => {
  const judge = named("slow", () => new Promise(() => {}));
  const options = { model: scriptedModel("A"), judge, judgeTimeout: 10 };
  expect(await rollout(judged(), { prompt: "Write A." }, options)).toMatchObject({
    status: "failed",
    error: { code: "score", message: "The judge slow failed: It took longer than 10 ms." },
  });
});

test("aborts the judge's call when its last rollout is cancelled", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const judge = named("slow", ({ signal }) => {
    started.resolve(signal);
    return new Promise(() => {});
  });
  const controller = new AbortController();
  const running = evaluate(judged(), {
    model: scriptedModel("A"),
    judge,
    rolloutsPerExample: 1,
    signal: controller.signal,
  });
  const signal = await started.promise;
  controller.abort(new Error("enough"));
  expect((await running).failures).toEqual({ cancelled: 2 });
  expect(signal.aborted).toBe(true);
});

test("keeps a shared call when one of two callers stops waiting, and charges it to the other", async () => {
  const answer = Promise.withResolvers<void>();
  const { model } = answering("1");
  const [judge] = sharedJudges(
    named("slow", async (request) => {
      await answer.promise;
      return model(request);
    }),
  );
  const first = new AbortController();
  const messages = [userMessage("Good?")];
  const cancelled = judge!.answer({ messages, signal: first.signal });
  const kept = judge!.answer({ messages, signal: new AbortController().signal });
  first.abort(new Error("enough"));
  await expect(cancelled).rejects.toThrow("enough");
  answer.resolve();
  expect(await kept).toMatchObject({ isCached: false });
  expect(model).toHaveBeenCalledTimes(1);
});

test("asks again if the caller did not accept the answer", async () => {
  const { model, judge } = answering("perhaps");
  const [shared] = sharedJudges(judge);
  const { signal } = new AbortController();
  const question = { messages: [userMessage("Good?")], signal, accepts: () => false };
  await shared!.answer(question);
  await shared!.answer(question);
  expect(model).toHaveBeenCalledTimes(2);
});

test("asks separately for other samplings and seeds", async () => {
  const { model, judge } = answering("1");
  const [shared] = sharedJudges(judge);
  const { signal } = new AbortController();
  const messages = [userMessage("Good?")];
  for (const seed of [0, 1, 1]) await shared!.answer({ messages, signal, seed });
  await shared!.answer({ messages, signal, seed: 1, sampling: { temperature: 0 } });
  expect(model).toHaveBeenCalledTimes(3);
});

test("limits the concurrency of a judge apart from that of rollouts", async () => {
  let running = 0;
  let largest = 0;
  const judge = named("judge-a", async (request) => {
    largest = Math.max(largest, (running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return { message: { role: "assistant", content: "1" }, finish: "stop", id: request.seed };
  });
  const many = defineEnvironment({
    name: "many",
    dataset: () => Array.from({ length: 12 }, (_, n) => ({ prompt: `${n}` })),
    rubric: {
      good: {
        needs: ["judge"],
        score: async ({ judge: ask, prompt }) =>
          Number((await ask!({ messages: prompt })).message.content),
      },
    },
  });
  const model = scriptedModel("A");
  await evaluate(many(), { model, judge, examples: 12, judgeConcurrency: 3 });
  expect(largest).toBe(3);
});

test("passes each judge to the score if there are several", async () => {
  const panel = defineEnvironment({
    name: "panel",
    dataset: () => [{ prompt: "Write A." }],
    rubric: {
      good: {
        needs: ["judge"],
        async score({ judge }) {
          const messages = [userMessage("Good?")];
          const answers = await Promise.all(judge!.panel.map((ask) => ask({ messages })));
          return answers.reduce((sum, { message }) => sum + Number(message.content), 0);
        },
      },
    },
  });
  const judge = [named("a", answering("1").model), named("b", answering("2").model)];
  const { reward, judgeUsage } = await evaluate(panel(), { model: scriptedModel("A"), judge });
  expect(reward.mean).toBe(3);
  expect(Object.keys(judgeUsage!)).toEqual(["a", "b"]);
});

test("leaves judged scores out of an episode that is scored without its judge", async () => {
  const played = episode(judged(), { prompt: "Write A." });
  await played.start();
  await played.step({ role: "assistant", content: "A" });
  expect(await played.score({ skipJudged: true })).toEqual({
    reward: 0.5,
    scores: { good: null, short: 1 },
    unjudged: { good: 1 },
  });
  await expect(played.score()).rejects.toThrow(
    "the score good: it asks a judge, and none was passed. Pass a model as the option judge.",
  );
});

test("keeps the answers of a judge in a file, and ignores a line that was cut", async () => {
  const folder = mkdtempSync(join(tmpdir(), "judge-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "answers", "judge.jsonl");
  const { model, judge } = answering("1");
  const options = { model: scriptedModel("A"), judge, rolloutsPerExample: 1 };
  await evaluate(judged(), { ...options, judgeStore: await judgeFile(file) });
  expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1);
  appendFileSync(file, '{"key": "half');
  const { judgeUsage } = await evaluate(judged(), {
    ...options,
    judgeStore: await judgeFile(file),
  });
  expect(model).toHaveBeenCalledTimes(1);
  expect(judgeUsage).toMatchObject({ "judge-a": { calls: 0, cached: 2 } });
});

test("runs the conformance suite with a judge, and skips judged scores without one", async () => {
  const options = { examples: 2 };
  const factory = defineEnvironment({
    name: "praised",
    dataset: () => [{ prompt: "Write A.", answer: "A" }],
    rubric: {
      good: {
        needs: ["judge"],
        score: async ({ reply, judge }) =>
          Number((await judge!({ messages: [userMessage(reply)] })).message.content),
      },
      right: ({ reply, example }) => reply === example.answer,
    },
    policies: { best: ({ example }) => example.answer },
  });
  const judge = scriptedModel(({ messages }) => (messages[0]!.content === "A" ? "1" : "0"));
  await checkEnvironment(factory, options);
  await checkEnvironment(factory, { ...options, judge, fullReward: 2 });
  await expect(checkEnvironment(factory, { ...options, fullReward: 2 })).rejects.toThrow(
    "best got 1 on example 0, not 2",
  );
});
