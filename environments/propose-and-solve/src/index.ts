import { defineEnvironment, end, invalid } from "@envs/core";
import * as z from "zod";

import {
  proposerPrompt,
  readAnswer,
  readTask,
  requestFor,
  solverPrompt,
  writeAnswer,
  writeTask,
} from "./conversation.ts";
import { type Expression, valueOf, writeExpression } from "./expression.ts";
import { carelessly, sumWith } from "./players.ts";
import { type Solver, solvers, usefulness } from "./solvers.ts";

type Answers = Partial<Record<Solver, number | "none">>;

const solver = { policy: "careless(0.3)", systemPrompt: solverPrompt, prompt: () => [] };

export default defineEnvironment({
  name: "propose-and-solve",
  description: "Propose arithmetic tasks that solvers solve sometimes, or solve them.",
  tags: ["arithmetic", "seats", "self-play"],

  config: z.object({
    examples: z.int().min(1).default(98).describe("Number of requests for a task"),
    maxNumber: z.int().min(2).max(999).default(99).describe("The largest number of a task"),
    maxOperators: z
      .int()
      .min(1)
      .max(9)
      .default(4)
      .describe("Maximum number of operators of a task"),
    maxInvalid: z.int().min(0).default(1).describe("Number of tasks that the proposer may correct"),
  }),

  *dataset({ config, random }) {
    const numbers = random.shuffle(
      Array.from({ length: config.maxNumber - 1 }, (_, index) => index + 2),
    );
    for (let index = 0; index < config.examples; index += 1) {
      const number = numbers[index % numbers.length]!;
      yield { id: `${index}`, prompt: requestFor({ number, ...config }), number };
    }
  },

  setup: () => ({
    task: undefined as Expression | undefined,
    invalidTasks: 0,
    answers: {} as Answers,
  }),

  seats: {
    players: {
      proposer: {
        policy: "exact",
        systemPrompt: proposerPrompt,
        description: "You propose a task.",
      },
      solver1: solver,
      solver2: solver,
      solver3: solver,
      solver4: solver,
    },
    turn: ({ state }) => (state.task === undefined ? "proposer" : solvers),
    observe({ state: { task, answers }, seat }) {
      if (task === undefined) return "There is no task.";
      if (seat === "proposer")
        return `${countRight(task, answers)} of ${solvers.length} are right.`;
      if (answers[seat] === undefined) return `${writeExpression(task)} = ?`;
      return isRight(task, answers[seat]) ? "Right." : `Wrong: it is ${valueOf(task)}.`;
    },
  },

  respond({ reply, seat, state, config, example }) {
    if (seat !== "proposer") {
      state.answers[seat] = readAnswer(reply) ?? "none";
      return Object.keys(state.answers).length === solvers.length ? end() : [];
    }
    const limits = { ...config, number: example.number };
    state.task = readTask(reply, limits);
    if (state.task !== undefined) return [];
    state.invalidTasks += 1;
    return state.invalidTasks > config.maxInvalid
      ? end()
      : invalid(`That is not such a task. ${requestFor(limits)}`);
  },

  episode: { maxTurns: ({ config }) => 1 + config.maxInvalid },

  rubric: {
    useful: {
      description: "For the proposer: 1 − |2p − 1|, where p is the share of right answers",
      range: [0, 1],
      score({ state: { task, answers }, seat }) {
        if (seat !== "proposer") return null;
        return task === undefined ? 0 : usefulness(countRight(task, answers) / solvers.length);
      },
    },
    right: {
      description: "For a solver: 1 if the answer is right",
      range: [0, 1],
      score({ state: { task, answers }, seat }) {
        if (seat === "proposer" || task === undefined) return null;
        return isRight(task, answers[seat]);
      },
    },
  },

  metrics: {
    proposed: {
      description: "1 if the proposer has written a task as requested",
      range: [0, 1],
      score: ({ state }) => state.task !== undefined,
    },
    solved: {
      description: "The share of right answers",
      range: [0, 1],
      score: ({ state: { task, answers } }) =>
        task === undefined ? null : countRight(task, answers) / solvers.length,
    },
  },

  policies: {
    exact: ({ state, example, config, random }) =>
      state.task === undefined
        ? writeTask(sumWith(example.number, { ...config, operators: 2 }, random))
        : writeAnswer(valueOf(state.task)),
    careless: ({ state, example, config, random, parameter = 0.3 }) =>
      state.task === undefined
        ? writeTask(sumWith(example.number, { ...config, operators: 1 + random.int(2) }, random))
        : writeAnswer(valueOf(state.task, carelessly(parameter, random))),
  },
});

function isRight(task: Expression, answer: number | "none" | undefined): boolean {
  return answer === valueOf(task);
}

function countRight(task: Expression, answers: Answers): number {
  return Object.values(answers).filter((answer) => isRight(task, answer)).length;
}
