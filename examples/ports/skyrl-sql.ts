// skyrl_sql, ported: questions about a database. The model explores it with queries, and answers with one.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import {
  assistantMessages,
  defineEnvironment,
  end,
  map,
  type Message,
  thinkParser,
  xmlParser,
} from "@envs/core";
import { jsonl } from "@envs/data";
import type { RunResult, Sandbox } from "@envs/sandbox";
import { sqlite } from "@envs/sandbox/sqlite";
import * as z from "zod";

// Queries cannot change the database, so that the true query finds it as it was.
const databases = sqlite({ readOnly: true });
const parser = xmlParser("think", "sql?", "solution?");
const thoughts = thinkParser({ lenient: true });

const row = z.object({ db_id: z.string(), question: z.string(), query: z.string() });

export default defineEnvironment({
  name: "skyrl-sql",
  description: "Answer questions about a database by queries in SQLite.",
  tags: ["sql", "sandbox", "multi-turn"],
  requires: [databases],

  config: z.object({
    folder: z
      .string()
      .default(join(import.meta.dirname, "datasets/spider"))
      .describe("Folder with dev.json and database/<name>/<name>.sqlite, as Spider has it"),
  }),

  systemPrompt: `Write a query in the SQL of SQLite that returns what the question asks for, and no other column.
Begin each message with your thoughts: ${parser.render({ think: "…" })}
To look around, add a query, whose first 50 rows you receive: ${parser.render({ sql: "SELECT …" })}
Within five messages, add the query that answers the question: ${parser.render({ solution: "SELECT …" })}`,
  maxTurns: 5,

  dataset: ({ config: { folder } }) =>
    map(
      jsonl(join(folder, "dev.json"), { schema: row }),
      async ({ db_id: name, question, query }) => ({
        prompt: `${await schemaOf(folder, name)}\n\n${question}`,
        name,
        query,
      }),
    ),

  setup: async ({ config, example, signal }) => ({
    database: await open(config.folder, example.name, signal),
  }),

  async respond({ reply, state: { database }, signal }) {
    const { sql, solution } = parser.parse(thoughts.parse(reply) ?? "");
    if (solution !== undefined) return end();
    if (sql === undefined) return "Write a query between <sql> and </sql>, or the solution.";
    const { stdout, stderr } = await database.run(sql, { signal });
    return `<observation>\n${stdout.split("\n").slice(0, 51).join("\n")}${stderr}\n</observation>`;
  },

  rubric: {
    correct: {
      description: "1 for the rows of the true query, 0 for others, -1 for a reply in another form",
      range: [-1, 1],
      async score({ completion, example: { query }, state: { database }, signal }) {
        const solution = solutionOf(completion);
        if (solution === undefined) return -1;
        const found = rowsOf(await database.run(solution, { signal }));
        const wanted = rowsOf(await database.run(query, { signal }));
        return found !== undefined && isDeepStrictEqual(found, wanted);
      },
    },
  },

  policies: {
    gold: ({ example: { query }, turns }) =>
      turns === 0
        ? parser.render({ think: "What is there?", sql: "SELECT name FROM sqlite_master" })
        : parser.render({ think: "Now I know.", solution: query }),
    "two-solutions": ({ example: { query } }) =>
      parser.render({ think: "One of them.", solution: query }) +
      parser.render({ solution: query }),
    "in-thoughts": ({ example: { query } }) =>
      parser.render({ think: parser.render({ solution: query }) }),
    thoughtless: ({ example: { query } }) => parser.render({ solution: query }),
    empties: ({ turns }) =>
      turns === 0
        ? parser.render({ think: "Nothing equals nothing.", sql: "DELETE FROM ferry" })
        : parser.render({ think: "Both are empty.", solution: "SELECT 1 WHERE 0" }),
    invalid: () => parser.render({ think: "Hm.", solution: "SELECT FROM" }),
  },
});

async function open(folder: string, name: string, signal?: AbortSignal): Promise<Sandbox> {
  const file = await readFile(join(folder, "database", name, `${name}.sqlite`));
  return await databases.create({ files: { "main.db": file }, signal });
}

const schemas = new Map<string, string>();

/** How the tables of a database were created. */
async function schemaOf(folder: string, name: string): Promise<string> {
  const key = join(folder, name);
  if (!schemas.has(key)) {
    await using database = await open(folder, name);
    const tables = await database.run("SELECT sql FROM sqlite_master WHERE type = 'table'");
    schemas.set(key, tables.stdout.split("\n").slice(1).join("\n").trim());
  }
  return schemas.get(key)!;
}

/** The solution after the thoughts, if there is one in all replies, each begins with thoughts, and none contains an observation. */
function solutionOf(completion: readonly Message[]): string | undefined {
  const replies = assistantMessages(completion).map(({ content }) => content.trimStart());
  const isInForm = replies.every((reply) => /^<think>(?!.*<observation)/s.test(reply));
  const solutions = replies.join("\n").match(/<solution>/g) ?? [];
  const last = thoughts.parse(replies.at(-1)!) ?? "";
  return isInForm && solutions.length === 1 ? parser.parse(last).solution : undefined;
}

function rowsOf({ value }: RunResult): unknown {
  return typeof value === "object" && value !== null && "rows" in value ? value.rows : undefined;
}
