import { defineEnvironment, xmlParser } from "@envs/core";
import * as z from "zod";

import { isAnswer } from "./answer.ts";
import { countRepeats, parseCalls, toolResults, visitedIds, writeCall } from "./calls.ts";
import { encyclopedia } from "./encyclopedia.ts";
import type { RandomSource } from "./question.ts";
import { type Part, questions } from "./questions.ts";
import { nextStep } from "./research.ts";
import { openText, readText, searchText } from "./tool-texts.ts";

const parser = xmlParser("answer");
const hops = z.int().min(1).max(4);
const shortText = z.string().min(1).max(200);
const id = shortText.describe("Id of an article, from the results of search");

interface Difficulty {
  readonly examples: number;
  readonly minHops: number;
  readonly maxHops: number;
}

/** A generator, so that the encyclopedia is not loaded before the first row is read. */
function* rows(part: Part, config: Difficulty, random: RandomSource) {
  yield* questions(encyclopedia().world, { part, ...config }, random).take(config.examples);
}

export default defineEnvironment({
  name: "wiki-search",
  description: "Answer multi-hop questions by searching and reading an offline encyclopedia.",
  tags: ["tools", "search", "multi-turn", "question-answering"],

  config: z
    .object({
      examples: z.int().min(1).default(1000).describe("Number of questions in each split"),
      minHops: hops.default(1).describe("Minimum number of articles needed for an answer"),
      maxHops: hops.default(3).describe("Maximum number of articles needed for an answer"),
      maxTurns: z.int().min(1).default(16).describe("Maximum number of model turns per question"),
    })
    .refine(({ minHops, maxHops }) => minHops <= maxHops, {
      path: ["minHops"],
      error: "must not be greater than maxHops",
    }),

  systemPrompt: `You answer questions from an encyclopedia of the world's cities, regions, countries, currencies and languages.
Use the tools: search finds articles, open shows how an article begins and which sections it has, read shows one section.
The encyclopedia is right by definition: take names and numbers from it, not from memory. "Nearest" and "largest" are meant among the places that it lists.
When you know the answer, give it alone, without a sentence around it, in this form:
${parser.render({ answer: "your answer" })}`,

  dataset: ({ config, random }) => ({
    train: rows("train", config, random.for("train")),
    eval: rows("eval", config, random.for("eval")),
  }),

  tools: {
    search: {
      description: "Finds articles. Gives the id, the title and the beginning of the best ones.",
      input: z.object({
        query: shortText.describe("A name, or a few words"),
        limit: z.int().min(1).max(20).default(5).describe("Most results"),
      }),
      execute: ({ query, limit }) => searchText(encyclopedia(), query, limit),
    },
    open: {
      description: "Shows how an article begins and the names of its sections.",
      input: z.object({ id }),
      execute: (input) => openText(encyclopedia(), input.id),
    },
    read: {
      description: "Shows one section of an article.",
      input: z.object({
        id,
        section: shortText.describe("Name of the section, as open shows it"),
      }),
      execute: (input) => readText(encyclopedia(), input.id, input.section),
    },
  },

  episode: { maxTurns: ({ config }) => config.maxTurns },

  rubric: {
    exact: {
      description:
        "1 if the text in the answer tags is the answer; case, diacritics and the like do not matter",
      range: [0, 1],
      score: ({ reply, example }) =>
        Number(isAnswer(parser.parse(reply).answer ?? "", example.accepted)),
    },
  },

  metrics: {
    redundantCalls: {
      description: "Number of tool calls that repeat an earlier call",
      score: ({ completion }) => countRepeats(parseCalls(completion)),
    },
    goldArticles: {
      description: "Share of the articles that the answer is spread over that were opened or read",
      range: [0, 1],
      score: ({ completion, example: { articles } }) => {
        const seen = visitedIds(parseCalls(completion));
        return articles.filter((article) => seen.has(article)).length / articles.length;
      },
    },
  },

  policies: {
    oracle({ example, messages, turns }) {
      const step = nextStep(example, toolResults(messages));
      return typeof step === "string" ? parser.render({ answer: step }) : writeCall(step, turns);
    },
    lazy: () => parser.render({ answer: "Paris" }),
  },
});
