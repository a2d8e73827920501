import { integerOption, listOption, positionals, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";

import { connect, hubArguments } from "../connection/connect.ts";
import { searchResults } from "../render/search.ts";

const orders = ["relevance", "downloads", "stars", "recent", "name"] as const;

const options = {
  words: { type: "positional", required: false, description: "What to look for; nothing: all" },
  kind: { type: "string", description: "One of these: single-turn, multi-turn, tools" },
  tag: { type: "string", description: "All of these tags, such as game,maths" },
  tool: { type: "string", description: "All of these tools" },
  score: { type: "string", description: "All of these scores" },
  owner: { type: "string", description: "Of one of these users or organisations" },
  sort: {
    type: "string",
    description: `By ${orders.slice(0, -1).join(", ")} or ${orders.at(-1)} (default relevance)`,
  },
  limit: {
    type: "string",
    alias: "n",
    description: "How many, at most 100 (default 20)",
    valueHint: "count",
  },
  page: { type: "string", description: "Which page of them (default 1)", valueHint: "number" },
  packages: { type: "boolean", description: "Packages without an environment, too" },
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "search",
    description:
      "Find environments on a hub, by words of their names, descriptions, tags, scores and tools. Options that take several values take them with commas",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const { kind, tag, tool, score, owner, registry } = args;
    const asked = {
      q: positionals(rawArgs, options).join(" "),
      kind: listOption(kind),
      tag: listOption(tag),
      tool: listOption(tool),
      score: listOption(score),
      owner: listOption(owner?.replaceAll("@", "")),
      sort: orderIn(args.sort),
      page: integerOption("page", args.page),
      perPage: integerOption("limit", args.limit),
    };
    const { client } = await connect({ command: "envs search", registry });
    const found =
      args.packages === true
        ? await client.findPackages(asked)
        : await client.findEnvironments(asked);
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify(found)}\n`
        : `${searchResults(found, process.stdout.columns)}\n`,
    );
  },
});

function orderIn(text: string | undefined): (typeof orders)[number] | undefined {
  const order = orders.find((each) => each === text);
  if (text === undefined || order !== undefined) return order;
  throw new UsageError(
    `--sort is ${JSON.stringify(text)}. It must be one of: ${orders.join(", ")}.`,
  );
}
