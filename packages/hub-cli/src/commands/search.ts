import {
  argument,
  choiceOption,
  defineCommand,
  flag,
  integerOption,
  listOption,
  printResult,
  valueOption,
} from "@envs/cli/kit";

import { connect, hubArguments } from "../connection/connect.ts";
import { formatSearchResults } from "../packages/search-results.ts";

const orders = ["relevance", "downloads", "stars", "recent", "name"] as const;

export const command = defineCommand({
  meta: {
    name: "search",
    description:
      "Find environments on a hub by words in their names, descriptions, tags, scores and tools. Separate several values of an option by commas",
  },
  args: {
    words: argument("The words to find (default: all)"),
    kind: valueOption("One of: single-turn, multi-turn, tools"),
    tag: valueOption("All of these tags, such as game,maths"),
    tool: valueOption("All of these tools"),
    score: valueOption("All of these scores"),
    owner: valueOption("One of these users or organisations"),
    sort: valueOption(
      `${orders.slice(0, -1).join(", ")} or ${orders.at(-1)} (default relevance)`,
      "order",
    ),
    limit: valueOption("Results per page, at most 100 (default 20)", "count", "n"),
    page: valueOption("The page (default 1)", "number"),
    packages: flag("Include packages without an environment"),
    ...hubArguments,
  },
  maxPositionals: Infinity,
  async run({ args }): Promise<void> {
    const { kind, tag, tool, score, owner, registry } = args;
    const query = {
      q: args._.join(" "),
      kind: listOption(kind),
      tag: listOption(tag),
      tool: listOption(tool),
      score: listOption(score),
      owner: listOption(owner?.replaceAll("@", "")),
      sort: choiceOption("sort", args.sort, orders),
      page: integerOption("page", args.page),
      perPage: integerOption("limit", args.limit),
    };
    const { client } = await connect({ command: "envs search", registry });
    const results =
      args.packages === true
        ? await client.findPackages(query)
        : await client.findEnvironments(query);
    printResult(args.json, results, formatSearchResults(results, process.stdout.columns));
  },
});
