import { dataset, defineEnvironment, tool } from "@envs/core";
import * as z from "zod";

import { areSame, countMatches } from "./compare.ts";
import { callsByTurn, writeCalls } from "./conversation.ts";
import { categories, questions, skills } from "./questions.ts";

export default defineEnvironment({
  name: "tool-use",
  description: "Call the right tools with the right arguments, several at once, or none.",
  tags: ["tools", "function-calling", "parallel"],

  config: z.object({
    examples: z.int().min(5).max(10_000).default(1000).describe("Number of requests in all splits"),
    categories: z
      .array(z.enum(categories))
      .min(1)
      .default([...categories])
      .describe("Which kinds of requests the dataset has, in turn"),
  }),

  systemPrompt: `You are the assistant of an office and a home. Do what the user asks with your tools.
Call all the tools that you need at once, each once. If none of them can do it, refuse without a call.
When you have the results, answer in one sentence.`,

  dataset: ({ config, random }) =>
    dataset.split(questions(config.categories, random).take(config.examples), {
      train: 4,
      eval: 1,
    }),

  tools: ({ example }) =>
    Object.fromEntries(
      example.offered.map((name) => {
        const skill = skills[name]!;
        const { description, input } = skill;
        return [name, tool({ description, input, execute: (values) => skill.run(values) })];
      }),
    ),

  episode: { maxTurns: 6 },

  rubric: {
    calls: {
      weight: 0.8,
      description: "1 if the model made exactly the right calls, in any order",
      range: [0, 1],
      score: ({ completion, example }) => areSame(callsByTurn(completion).flat(), example.calls),
    },
    oneTurn: {
      weight: 0.2,
      description: "1 if it made exactly the right calls, all of them in its first message",
      range: [0, 1],
      score({ completion, example }) {
        const turns = callsByTurn(completion);
        return areSame(turns.flat(), example.calls) && turns.length <= 1;
      },
    },
  },

  metrics: {
    matched: {
      description: "Share of the calls made and of the right calls that match; null without calls",
      range: [0, 1],
      score({ completion, example }) {
        const called = callsByTurn(completion).flat();
        const total = called.length + example.calls.length;
        return total === 0 ? null : (2 * countMatches(called, example.calls)) / total;
      },
    },
  },

  policies: {
    oracle: ({ example, turns }) =>
      turns === 0 && example.calls.length > 0 ? writeCalls(example.calls) : "Done.",
    oneByOne: ({ example, turns }) =>
      turns < example.calls.length ? writeCalls([example.calls[turns]!], turns) : "Done.",
    silent: () => "I have done all of it.",
    twice: ({ example, turns }) =>
      turns === 0 ? writeCalls([...example.calls, ...example.calls]) : "Done.",
    everyTool({ example, turns, random }) {
      if (turns > 0) return "Done.";
      const rest = example.offered.filter((name) => example.calls.every((c) => c.name !== name));
      const guesses = rest.map((name) => ({
        name,
        arguments: skills[name]!.request(random).arguments,
      }));
      return writeCalls([...example.calls, ...guesses]);
    },
  },
});
