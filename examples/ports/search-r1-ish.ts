// search_r1_ish, ported: questions that need facts of several articles, which the model finds with a search tool.
import { callTools, defineEnvironment } from "@envs/core";
import { huggingFace } from "@envs/data";
import { choices, judge } from "@envs/scores";
import MiniSearch from "minisearch";
import * as z from "zod";

const row = z
  .object({
    id: z.string(),
    question: z.string(),
    answer: z.string(),
    context: z.object({ title: z.array(z.string()), sentences: z.array(z.array(z.string())) }),
  })
  .transform(({ id, question, answer, context: { title, sentences } }) => ({
    id,
    prompt: question,
    answer,
    articles: title.map((name, at) => ({ id: name, text: sentences[at]!.join("") })),
  }));

export default defineEnvironment({
  name: "search-r1-ish",
  description: "Answer multi-hop questions with a search tool.",
  tags: ["question-answering", "search", "judge"],

  systemPrompt: "Search as often as you need. Then reply with the answer alone.",
  maxTurns: 8,

  dataset: () =>
    huggingFace("hotpotqa/hotpot_qa", {
      config: "distractor",
      schema: row,
      split: { train: "train", eval: "validation" },
    }),

  setup({ example: { articles } }) {
    const index = new MiniSearch<{ id: string; text: string }>({
      fields: ["id", "text"],
      storeFields: ["text"],
    });
    index.addAll(articles);
    return { index };
  },

  tools: {
    search: {
      description: "Search the articles. Returns the three best.",
      input: z.object({ query: z.string() }),
      execute: ({ query }, { state: { index } }) =>
        index
          .search(query)
          .slice(0, 3)
          .map(({ id, text }) => `${id}: ${text}`)
          .join("\n") || "Nothing found.",
    },
  },

  rubric: {
    correct: judge({
      prompt:
        "Is the reply to the question the same as the true answer? Ignore what it thinks before.\n\n{example.prompt}\n{example.answer}\n{reply}",
      verdict: choices("no", "yes"),
    }),
  },

  policies: {
    gold: ({ example: { articles, answer }, turns }) =>
      turns < 2 ? callTools([["search", { query: articles[turns]!.id }]], turns) : answer,
    lazy: () => "Paris",
  },
});
