// github_mcp, ported: questions about a repository, which the model answers with the tools of an MCP server.
import { join } from "node:path";

import { callTools, defineEnvironment } from "@envs/core";
import { jsonl } from "@envs/data";
import { mcpTools } from "@envs/mcp";
import { choices, judge } from "@envs/scores";
import * as z from "zod";

// #region mcp
// GitHub's own server is at https://api.githubcopilot.com/mcp/. Without a URL, a server with an invented repository answers.
const url = process.env["GITHUB_MCP_URL"];
const github = mcpTools(
  url === undefined
    ? { command: process.execPath, args: [join(import.meta.dirname, "servers/github.ts")] }
    : { url, headers: { authorization: `Bearer ${process.env["GITHUB_TOKEN"] ?? ""}` } },
  { only: ["list_issues", "get_file_contents", "list_commits"] },
);
// #endregion

const row = z
  .object({
    question: z.string(),
    answer: z.string(),
    call: z.object({ name: z.string(), arguments: z.record(z.string(), z.json()) }),
  })
  .transform(({ question, ...rest }) => ({ prompt: question, ...rest }));

export default defineEnvironment({
  name: "github-mcp",
  description: "Answer questions about a repository with the tools of an MCP server.",
  tags: ["mcp", "github", "judge"],

  config: z.object({
    file: z
      .string()
      .default(join(import.meta.dirname, "datasets/github-mcp/questions.jsonl"))
      .describe("A JSONL file with questions, answers and the call that answers each"),
  }),
  dataset: ({ config }) => jsonl(config.file, { schema: row }),
  tools: github,

  episode: { maxTurns: 10 },

  rubric: {
    correct: judge({
      prompt:
        "Does the reply to the question mean the same as the true answer?\n\n{example.prompt}\n{example.answer}\n{reply}",
      verdict: choices("no", "yes"),
      model: "gpt-4.1-mini",
    }),
  },

  policies: {
    gold: ({ example: { answer, call }, turns }) =>
      turns === 0 ? callTools([[call.name, call.arguments]]) : `The answer is ${answer}.`,
    guessing: () => "I cannot know that.",
  },
});
