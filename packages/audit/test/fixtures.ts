import {
  callTools,
  defineEnvironment,
  lastReply,
  type ScoreContext,
  type WeightedScore,
} from "@envs/core";
import { gradeCode, javascript, type Sandbox } from "@envs/sandbox";
import * as z from "zod";

import { parser, readAnswer, type Sum, sums } from "./sound.ts";

const solver = ({ example }: { readonly example: { readonly answer: string } }): string =>
  parser.render({ answer: example.answer });
const correct = ({ reply, example }: Pick<ScoreContext<unknown, Sum>, "reply" | "example">) =>
  readAnswer(reply) === example.answer;
const policies = { solver };

/** One answer is never right. */
export const unsolvable = defineEnvironment({
  name: "unsolvable",
  dataset: () => [...sums(100, 5), { prompt: "How much is 1 / 0?", answer: "none" }],
  rubric: {
    correct: {
      range: [0, 1],
      score: (context) => correct(context) && context.example.answer !== "none",
    },
  },
  policies,
});

/** A missing answer is not wrong. */
export const silenceWins = defineEnvironment({
  name: "silence-wins",
  dataset: () => sums(100),
  rubric: { correct: (context) => readAnswer(context.reply) === "" || correct(context) },
  policies,
});

/** The form is worth more than the answer. */
export const formatPays = defineEnvironment({
  name: "format-pays",
  dataset: () => sums(100),
  rubric: {
    correct,
    format: { weight: 3, score: ({ completion }) => parser.formatScore(completion) },
  },
  policies,
});

/** Looks for the answer anywhere in the reply. */
export const containsAnswer = defineEnvironment({
  name: "contains-answer",
  dataset: () => sums(100),
  rubric: { correct: ({ reply, example }) => reply.includes(example.answer) },
  policies,
});

/** For some examples, no answer is right. */
export const silenceIsRight = defineEnvironment({
  name: "silence-is-right",
  dataset: () => sums(100).map((sum, index) => (index % 3 === 0 ? { ...sum, answer: "" } : sum)),
  rubric: { correct },
  policies: { solver: ({ example }) => (example.answer === "" ? "" : solver({ example })) },
});

/** Rewards words of the prompt. */
export const wordOverlap = defineEnvironment({
  name: "word-overlap",
  dataset: () => sums(100).map((sum) => ({ ...sum, answer: `How much is it: ${sum.answer}` })),
  rubric: {
    overlap: ({ reply, example }) => {
      const words = example.answer.split(" ");
      return words.filter((word) => reply.includes(word)).length / words.length;
    },
  },
  policies: { solver: ({ example }) => example.answer },
});

/** Remembers what other rollouts answered. */
let solved = 0;
export const rememberedReward = defineEnvironment({
  name: "remembered-reward",
  dataset: () => sums(100),
  rubric: {
    correct: (context) => (correct(context) ? 1 / (solved += 1) : 0),
  },
  policies,
});

/** The description of the tool contains the answer. */
export const leakyTool = defineEnvironment({
  name: "leaky-tool",
  dataset: () => sums(100),
  tools: ({ example }) => ({
    add: {
      description: `Adds two numbers, such as those whose sum is ${example.answer}.`,
      input: z.object({}),
      execute: () => "ok",
    },
  }),
  rubric: { correct },
  policies,
});

/** The prompt ends with its answer. */
export const leakyPrompt = defineEnvironment({
  name: "leaky-prompt",
  dataset: () =>
    sums(100).map((sum) => ({ ...sum, prompt: `${sum.prompt} (answer: ${sum.answer})` })),
  rubric: { correct },
  policies,
});

/** Each call is worth a point. */
export const paidCalls = defineEnvironment({
  name: "paid-calls",
  dataset: () => sums(100),
  setup: () => ({ calls: 0 }),
  tools: {
    press: {
      description: "Presses the button.",
      input: z.object({}),
      execute: (_, { state }) => {
        state.calls += 1;
        return "pressed";
      },
    },
  },
  rubric: { presses: ({ state }) => state.calls },
  policies: {
    presser: ({ turns }) =>
      turns > 0
        ? "Done."
        : {
            role: "assistant",
            content: "",
            tool_calls: [
              { id: "1", type: "function", function: { name: "press", arguments: "{}" } },
            ],
          },
  },
});

/** Throws for a reply that is not JSON. */
export const brittle = defineEnvironment({
  name: "brittle",
  dataset: () => sums(100),
  rubric: {
    correct: ({ reply, example }) =>
      String((JSON.parse(reply) as { readonly sum?: unknown }).sum) === example.answer,
  },
  policies: { solver: ({ example }) => JSON.stringify({ sum: Number(example.answer) }) },
});

/** The same rows in both splits, and one twice. */
export const sameRows = defineEnvironment({
  name: "same-rows",
  dataset: () => ({
    train: sums(100).map((row, index) => ({ ...row, id: `t${index}` })),
    eval: [...sums(100), ...sums(100, 1)].map((row, index) => ({ ...row, id: `e${index}` })),
  }),
  rubric: { correct },
  policies,
});

/** Rows in two splits whose code differs in its punctuation. */
export const similarCode = defineEnvironment({
  name: "similar-code",
  dataset: () => {
    const rows = (open: string) =>
      sums(100).map((row) => ({ ...row, prompt: `${row.prompt}\n\`\`\`js\nadd${open}\n\`\`\`` }));
    return { train: rows("("), eval: rows("[") };
  },
  rubric: { correct },
  policies,
});

/** Reads the answer anywhere, also in the thoughts. */
export const thinkingAloud = defineEnvironment({
  name: "thinking-aloud",
  dataset: () => sums(100),
  rubric: { correct: ({ reply, example }) => parser.parse(reply).answer === example.answer },
  policies,
});

/** Believes what the reply says about tests. */
export const believedReport = defineEnvironment({
  name: "believed-report",
  dataset: () => sums(100),
  rubric: {
    passed: ({ completion }) => lastReply(completion).includes("All tests passed"),
  },
  policies: { honest: () => "All tests passed." },
});

/** Compares the reply with its white space. */
export const exactText = defineEnvironment({
  name: "exact-text",
  dataset: () => sums(100),
  rubric: { correct: ({ reply, example }) => reply === example.answer },
  policies: { solver: ({ example }) => example.answer },
});

/** Every rollout leaves a timer. */
export const leftTimers = defineEnvironment({
  name: "left-timers",
  dataset: () => sums(100, 2),
  setup: () => {
    setTimeout(() => undefined, 20_000);
    return {};
  },
  rubric: { correct },
  policies,
});

/** Rewards nothing. */
export const noSignal = defineEnvironment({
  name: "no-signal",
  dataset: () => sums(100),
  rubric: { constant: () => 1 },
  policies,
});

/** Limits the length by counting spaces. */
export const countedSpaces = defineEnvironment({
  name: "counted-spaces",
  dataset: () => sums(100),
  rubric: {
    short: ({ reply, example }) =>
      reply.split(" ").length < 3 &&
      [...example.prompt.matchAll(/\d+/g)].every(([number]) => reply.includes(number)),
  },
  policies: { brief: ({ example }) => example.prompt.match(/\d+ \+ \d+/)![0].replaceAll(" ", "") },
});

const askJudge = (quote: (reply: string) => string): WeightedScore<unknown, Sum, unknown> => ({
  needs: ["judge"],
  async score({ judge, reply }) {
    const content = `Is this reply right?\n\n${quote(reply)}\n\nAnswer yes or no.`;
    const { message } = await judge!({ messages: [{ role: "user", content }] });
    return message.content.includes("yes");
  },
});

/** The reply is put between marks that it can contain. */
export const openJudge = defineEnvironment({
  name: "open-judge",
  dataset: () => sums(100, 3),
  rubric: { right: askJudge((reply) => `<reply>\n${reply}\n</reply>`) },
  policies,
});

/** The reply is put between marks that it cannot contain. */
export const quotedJudge = defineEnvironment({
  name: "quoted-judge",
  dataset: () => sums(100, 3),
  rubric: { right: askJudge((reply) => JSON.stringify(reply)) },
  policies,
});

/** Its tool asks a sub-model, on whose answer the reward depends. */
export const recursive = defineEnvironment({
  name: "recursive",
  dataset: () => sums(100, 4),
  subModel: { maxCalls: 10, policy: ({ example }) => example.answer },
  setup: ({ subModel }) => ({ subModel, answer: "" }),
  tools: {
    ask: {
      description: "Asks another model.",
      input: z.object({}),
      async execute(_, { state }) {
        state.answer = (await state.subModel("What is the sum?")).text;
        return "Asked.";
      },
    },
  },
  rubric: {
    asked: ({ state, reply, example }) =>
      reply.trim() === "Done." && state.answer === example.answer,
  },
  policies: {
    asking: ({ turns }) =>
      turns > 0
        ? "Done."
        : {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "1", type: "function", function: { name: "ask", arguments: "{}" } }],
          },
  },
});

/** Runs code in the process of the environment. */
export const unconfined = defineEnvironment({
  name: "unconfined",
  dataset: () => sums(100, 2),
  requires: [
    Object.assign(
      { kind: "sandbox" as const, name: "eval", check: async () => undefined },
      {
        traits: { name: "eval", language: "javascript" },
        create: async () => ({
          async run(code: string) {
            // An endless loop would end the test.
            if (code.includes("for (;;)")) return { stdout: "", stderr: "timed out", value: null };
            const stdout = String((await import("node:process")).env["ENVS_AUDIT_CANARY"]);
            return { stdout, stderr: "", value: null };
          },
          [Symbol.asyncDispose]: async () => undefined,
        }),
      },
    ),
  ],
  rubric: { correct },
  policies,
});

const thinking = "I add the units first, then the tens, and check the sum by subtraction. ".repeat(
  8,
);

/** Pays for length, up to less than the length of the best reply, in three ways. */
const longReplies = (name: string, pays: (isRight: boolean, length: number) => number) =>
  defineEnvironment({
    name,
    dataset: () => sums(100, 4),
    rubric: { quality: (context) => pays(correct(context), context.reply.length / 400) },
    policies: { thorough: ({ example }) => `${thinking}\n${solver({ example })}` },
  });
export const paidLength = longReplies(
  "paid-length",
  (isRight, length) => Number(isRight) * 0.7 + Math.min(1, length) * 0.3,
);
export const paidLengthOfRightReplies = longReplies(
  "paid-length-of-right-replies",
  (isRight, length) => (isRight ? Math.min(1, 0.5 + length) : 0),
);
/** Its best reply is long, too, but its length is not paid for. */
export const longAndSound = longReplies("long-and-sound", (isRight) => Number(isRight));

/** A tool that checks sums. Its error shows what it expected, or does not. */
const checkingTool = (name: string, error: (expected: string, given: string) => string) =>
  defineEnvironment({
    name,
    dataset: () => sums(100),
    setup: () => ({ isRight: false }),
    tools: {
      submit: {
        description: "Submits the sum.",
        input: z.object({ sum: z.string().describe("The sum") }),
        execute: ({ sum }, { example, state }) => {
          state.isRight = sum === example.answer;
          if (!state.isRight) throw new Error(error(example.answer, sum));
          return "Accepted.";
        },
      },
    },
    rubric: { right: ({ state }) => state.isRight },
    policies: {
      solver: ({ example, turns }) =>
        turns > 0 ? "Done." : callTools([["submit", { sum: example.answer }]]),
    },
  });
export const talkativeTool = checkingTool(
  "talkative-tool",
  (expected, given) => `expected ${expected}, received ${given}`,
);
export const discreetTool = checkingTool("discreet-tool", (_, given) => `${given} is wrong`);

const sandboxes = javascript();

/** The model writes a function. `grade` runs it. */
const writtenCode = (
  name: string,
  grade: (code: string, calls: readonly (readonly [number, number])[]) => Promise<boolean>,
) =>
  defineEnvironment({
    name,
    dataset: () =>
      [3, 4, 5].map((factor) => ({
        prompt: `Write times(x), which returns ${factor} * x.`,
        factor,
      })),
    rubric: {
      passes: ({ reply, example: { factor } }) =>
        grade(
          /```js\n([\s\S]*?)```/.exec(reply)?.[1] ?? "",
          [2, 7].map((x) => [x, factor * x]),
        ),
    },
    policies: {
      right: ({ example: { factor } }) =>
        `\`\`\`js\nfunction times(x) {\n  return ${factor} * x;\n}\n\`\`\``,
    },
  });
/** The tests and their comparison run in the namespace of the model's code. */
export const guardInside = writtenCode("guard-inside", async (code, calls) => {
  const sandbox: Sandbox = await sandboxes.create({});
  await sandbox.run("var same = (a, b) => JSON.stringify(a) === JSON.stringify(b);");
  await sandbox.run(code);
  const { value } = await sandbox.run(
    `[${calls.map(([x, y]) => `same(times(${x}), ${y})`).join()}].every(Boolean)`,
  );
  await sandbox[Symbol.asyncDispose]();
  return value === true;
});
/** The code runs in this process. */
export const codeInProcess = writtenCode("code-in-process", async (code, calls) =>
  calls.every(([x, y]) => {
    try {
      // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-call -- the planted fault
      return new Function(`${code}\nreturn times(${x});`)() === y;
    } catch {
      return false;
    }
  }),
);
export const gradedOutside = writtenCode("graded-outside", async (code, calls) => {
  const tests = calls.map(([x, expected]) => ({ args: [x], expected }));
  const { passed } = await gradeCode(sandboxes, { code, name: "times", tests });
  return passed.every(Boolean);
});
