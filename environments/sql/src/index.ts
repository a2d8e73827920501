import { assistantMessage, defineEnvironment, type ScoreContext } from "@envs/core";
import * as z from "zod";

import { readAnswer, writeAnswer } from "./answer.ts";
import { explorer, grade, provider } from "./database.ts";
import { hardcode, listTables, oracle, reader } from "./policies.ts";
import { type Task, tasks } from "./tasks.ts";

const answers = {
  query: `End with one query that answers the question, as in ${writeAnswer("SELECT …")}. It is executed on this database and on others with the same tables and other rows.`,
  rows: `End with the rows that answer the question, as the tool prints them but without the names of the columns, as in ${writeAnswer("Ada|3")}.`,
};

/** The verdict on the last reply, for all scores. */
function verdict({ config, example, reply, memo, signal }: ScoreContext<Config, Task>) {
  const isQuery = config.answer === "query";
  return memo("verdict", () => grade(example, readAnswer(reply), { isQuery, signal }));
}

type Config = z.output<typeof config>;

const config = z.object({
  examples: z.int().min(1).max(2000).default(500).describe("Number of questions in each split"),
  answer: z.enum(["query", "rows"]).default("query").describe("What the model answers with"),
  showSchema: z
    .boolean()
    .default(false)
    .describe("Whether the prompt has the statements of the tables"),
  maxTurns: z.int().min(1).default(10).describe("Maximum number of model turns per question"),
});

export default defineEnvironment({
  name: "sql",
  description:
    "Answer questions about a database with SQL, which is executed on hidden variants of the data.",
  tags: ["tools", "sql", "sandbox", "multi-turn"],
  requires: [provider],

  config,

  systemPrompt: ({ config: { answer } }) =>
    `You answer questions about a SQLite database. The tool query runs SQL that reads it; \`${listTables}\` shows its tables. Return exactly the columns that the question asks for, in its order. The order of rows counts only where the question asks for one.
${answers[answer]}`,

  dataset: ({ config: { examples, showSchema }, random }) => ({
    train: tasks("train", { random, showSchema }).take(examples),
    eval: tasks("eval", { random, showSchema }).take(examples),
  }),

  setup: ({ example }) => explorer(example),

  tools: {
    query: {
      description:
        "Runs SQL that reads the database. Returns the names of the columns and the rows.",
      input: z.object({ sql: z.string().max(10_000).describe("A statement of SQLite") }),
      execute: ({ sql }, { state, signal }) => state.query(sql, signal),
    },
  },

  episode: { maxTurns: ({ config: { maxTurns } }) => maxTurns },

  rubric: {
    correct: {
      description: "1 if the answer has the right rows on the database and on all hidden variants",
      range: [0, 1],
      score: async (context) => (await verdict(context)).correct,
    },
  },

  metrics: {
    visible: {
      description: "1 if the answer has the right rows on the database that the model saw",
      range: [0, 1],
      score: async (context) => (await verdict(context)).visible,
    },
    runs: {
      description: "1 if the answer is SQL that returns rows",
      range: [0, 1],
      score: async (context) => (await verdict(context)).runs,
    },
  },

  policies: {
    oracle: (position) =>
      position.config.answer === "query" ? oracle(position) : reader(position),
    lazy: () => assistantMessage(writeAnswer("SELECT 1")),
    hardcode: (position) => hardcode(position),
  },
});
