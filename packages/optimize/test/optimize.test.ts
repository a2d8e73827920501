import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defineEnvironment, end, type Model, RolloutError } from "@envs/core";
import { optimize, type OptimizeOptions, reportMarkdown } from "@envs/optimize";
import { openJournal } from "@envs/optimize/node";
import { expect, onTestFinished, test } from "vitest";

/** A student that keeps its answer if the prompt demands it; for long questions, only if the prompt also demands a check. */
function student(): { readonly model: Model; readonly calls: () => number } {
  let calls = 0;
  const reply: Model = async ({ messages, askPolicy }) => {
    calls += 1;
    const [system, question] = messages;
    const prompt = system!.content as string;
    const isLong = (question!.content as string).length % 2 === 0;
    const stands = prompt.includes("Stand by") && (!isLong || prompt.includes("Check"));
    const message = await askPolicy!(stands ? "solver" : "wavering");
    return { message, finish: "stop", usage: { inputTokens: 50, outputTokens: 10 } };
  };
  return { model: Object.assign(reply, { id: "student" }), calls: () => calls };
}

/** Adds one of two sentences to the prompt that it reads; now and then, it answers without a prompt. */
function teacher(): { readonly model: Model; readonly questions: string[] } {
  const questions: string[] = [];
  const reply: Model = async ({ messages }) => {
    const question = messages[0]!.content as string;
    questions.push(question);
    const present = /```\n([^]*?)\n```/.exec(question)![1]!;
    const added = present.includes("Stand by")
      ? "Check long questions."
      : "Stand by a right answer.";
    const content =
      questions.length === 1 ? "I do not know." : `Better:\n\`\`\`\n${present}\n${added}\n\`\`\``;
    const usage = { inputTokens: 500, outputTokens: 100 };
    return { message: { role: "assistant", content }, finish: "stop", usage };
  };
  return { model: Object.assign(reply, { id: "teacher" }), questions };
}

const environment = defineEnvironment({
  name: "sure",
  systemPrompt: "Answer with a number.",
  dataset: () =>
    Array.from({ length: 60 }, (_, index) => ({
      prompt: `How much is ${index} + ${7 * index}?`,
      answer: String(8 * index),
    })),
  respond: ({ turns }) => (turns === 1 ? "Are you sure?" : end()),
  episode: { maxTurns: 2 },
  rubric: { correct: ({ reply, example }) => reply === example.answer },
  policies: {
    solver: ({ example }) => example.answer,
    wavering: ({ example, turns }) => (turns === 0 ? example.answer : "I was wrong."),
  },
})();
const options = (
  more: Partial<OptimizeOptions> & { readonly model: Model; readonly reflection: Model },
): OptimizeOptions => ({
  trainExamples: 12,
  heldOutExamples: 12,
  budget: { rollouts: 150 },
  patience: 6,
  ...more,
});

test("finds prompts that are better on the held-out examples too", async () => {
  const result = await optimize(
    environment,
    options({ model: student().model, reflection: teacher().model }),
  );
  expect(result.candidates[0]!.mean).toBe(0);
  expect(result.best.mean).toBe(1);
  expect(result.best.prompts["systemPrompt"]).toMatch(/Stand by[^]*Check/);
  expect(result.heldOut).toMatchObject({ before: 0, after: 1, examples: 12 });
  expect(result.heldOut.interval?.low).toBe(1);
  expect(result.rejected).toBeGreaterThanOrEqual(1);
  expect(result.rollouts).toBeLessThanOrEqual(150);
});

test("shows the reflective model conversations and scores, never held-out examples", async () => {
  const { model, questions } = teacher();
  await optimize(environment, options({ model: student().model, reflection: model }));
  expect(questions[0]).toContain("user: Are you sure?");
  expect(questions[0]).toContain("- correct: 0");
  const heldOut = await Array.fromAsync(
    (await import("@envs/core/engine")).examples(environment, { count: 36 }),
  );
  for (const { example } of heldOut.slice(12))
    expect(questions.join("\n")).not.toContain(`user: ${example.prompt as string}\n`);
});

test("continues an interrupted optimization without paying twice, and with the same result", async () => {
  const whole = student();
  const expected = await optimize(
    environment,
    options({ model: whole.model, reflection: teacher().model }),
  );

  const folder = await mkdtemp(join(tmpdir(), "optimize-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "journal.jsonl");
  const first = student();
  const interrupted: Model = Object.assign(
    async (request: Parameters<Model>[0]) => {
      if (first.calls() >= 90) throw new RolloutError("model", "killed", { isFatal: true });
      return await first.model(request);
    },
    { id: "student" },
  );
  const reflection = teacher();
  await expect(
    optimize(
      environment,
      options({
        model: interrupted,
        reflection: reflection.model,
        journal: openJournal(path),
        concurrency: 1,
      }),
    ),
  ).rejects.toThrow("killed");
  const asked = reflection.questions.length;
  expect(asked).toBeGreaterThan(0);

  // A killed process may leave half a line.
  await writeFile(path, `${await readFile(path, "utf8")}{"key":"half`);
  const second = student();
  const resumed = await optimize(
    environment,
    options({
      model: second.model,
      reflection: reflection.model,
      journal: openJournal(path),
    }),
  );
  expect(resumed).toEqual(expected);
  expect(first.calls() + second.calls()).toBeLessThanOrEqual(whole.calls() + 2);
});

test("stops at the budget of cost", async () => {
  const result = await optimize(
    environment,
    options({
      model: student().model,
      reflection: teacher().model,
      budget: { cost: 0.003 },
      price: { input: 1, output: 1 },
      reflectionPrice: { input: 1, output: 1 },
    }),
  );
  expect(result.cost).toBeGreaterThan(0.003);
  // The held-out examples are played after the search.
  expect(result.cost).toBeLessThan(0.009);
});

test("charges tokens of caches by their prices", async () => {
  const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 90 };
  const reply: Model = async () => ({
    message: { role: "assistant", content: "x" },
    finish: "stop",
    usage,
  });
  const search = (cacheRead: number) =>
    optimize(
      environment,
      options({
        model: Object.assign(reply, { id: "cached" }),
        reflection: teacher().model,
        budget: { rollouts: 12 },
        price: { input: 1, output: 1, cacheRead },
      }),
    );
  expect((await search(1)).cost).toBeCloseTo((24 * 2 * 100) / 1e6, 12);
  expect((await search(0.1)).cost).toBeCloseTo((24 * 2 * (10 + 9)) / 1e6, 12);
});

test("counts what others cost, also for failed rollouts and held-out examples", async () => {
  const failing: Model = async ({ messages }) => {
    if ((messages[1]!.content as string).includes("3")) throw new RolloutError("model", "busy");
    const usage = { inputTokens: 1, outputTokens: 0 };
    return { message: { role: "assistant", content: "x" }, finish: "stop", usage };
  };
  let played = 0;
  const result = await optimize(
    environment,
    options({
      model: Object.assign(failing, { id: "failing" }),
      reflection: teacher().model,
      budget: { cost: 0.5 },
      price: { input: 0, output: 0 },
      reflectionPrice: { input: 0, output: 0 },
      otherCost: () => {
        played += 1;
        return 0.01;
      },
    }),
  );
  const finished = result.candidates[0]!.rewards.size;
  expect(finished).toBeLessThan(12);
  expect(result.rollouts).toBeLessThan(played);
  expect(result.cost).toBeCloseTo(0.01 * played, 9);
});

test("limits the concurrent questions to a judge", async () => {
  const judged = defineEnvironment({
    name: "judged",
    systemPrompt: "Answer.",
    dataset: () => Array.from({ length: 24 }, (_, index) => ({ prompt: `Question ${index}` })),
    rubric: {
      good: {
        needs: ["judge"],
        score: async ({ prompt, judge }) =>
          Number((await judge!({ messages: prompt })).message.content),
      },
    },
  })();
  let [running, most] = [0, 0];
  const judge: Model = async () => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    return { message: { role: "assistant", content: "1" }, finish: "stop" };
  };
  const reply: Model = async () => ({
    message: { role: "assistant", content: "x" },
    finish: "stop",
  });
  const shared = { model: reply, reflection: teacher().model, judge, judgeConcurrency: 2 };
  const small = { trainExamples: 8, heldOutExamples: 8, budget: { rollouts: 8 }, concurrency: 8 };
  expect((await optimize(judged, options({ ...shared, ...small }))).best.mean).toBe(1);
  expect(most).toBe(2);
});

test("rejects budgets and splits that cannot work, before any call", async () => {
  const { model, calls } = student();
  const play = (more: Partial<OptimizeOptions>) =>
    optimize(environment, options({ model, reflection: teacher().model, ...more }));
  await expect(play({ budget: {} })).rejects.toThrow("Missing budget.");
  await expect(play({ budget: { cost: 1 } })).rejects.toThrow("requires the prices");
  await expect(play({ budget: { rollouts: 5 } })).rejects.toThrow(
    "The budget is smaller than one evaluation of 12 examples.",
  );
  await expect(play({ trainExamples: 40 })).rejects.toThrow(
    "sure has 60 examples for an optimization with 80 and 12 held out.",
  );
  expect(calls()).toBe(0);
});

test("reports rewards of both splits, the curve, the lineage and the prompts", async () => {
  const result = await optimize(
    environment,
    options({ model: student().model, reflection: teacher().model }),
  );
  const report = reportMarkdown(result);
  expect(report).toContain("| Selection | 12 | 0.000 | 1.000 | +1.000 |");
  expect(report).toContain("| Held out | 12 | 0.000 | 1.000 | +1.000 |");
  expect(report).toMatch(/line \[0\.000, .*1\.000\]/);
  expect(report).toContain("c0 --> c1");
  expect(report).toContain(`(best)`);
  expect(report).toContain("Check long questions.");
});
