import { once } from "node:events";

import { toRow } from "@envs/records";

import { summaryJson } from "../evaluation/outcome-json.ts";
import { listRuns } from "../runs/list-runs.ts";
import { openRun, type ViewedRun } from "../runs/run-folder.ts";
import { type Selection, selectRollouts, type SortKey, sortKeys } from "../runs/select-rollouts.ts";
import { integerOption } from "../terminal/arguments.ts";
import { defineCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { argument, valueOption, flag } from "../terminal/options.ts";
import { saveOption } from "../terminal/shared-options.ts";
import { paint } from "../terminal/text.ts";
import { rolloutLines } from "../viewer/rollout.ts";
import { summaryLines } from "../viewer/run-summary.ts";

export const command = defineCommand({
  meta: {
    name: "view",
    description: "Show a saved run: its summary, then each rollout",
  },
  args: {
    run: argument(
      "A run folder (default: the newest run); with --web also a training run, or a log of Inspect",
    ),
    web: flag("Show runs in the browser, live while they are going"),
    port: valueOption("With --web: the port on 127.0.0.1 (default: a free one)", "port", "p"),
    list: flag("List runs, newest first"),
    where: valueOption(
      "Show only matching rollouts, such as 'win > 0 && turns < 5'; fields: scores, reward, turns, tokens, truncated, filtered, status, stop, error, example, rollout, part",
      "expression",
      "w",
    ),
    select: valueOption(
      "Show only these examples: indices, ranges and keys (3,10-20,key=abc), or a filter ('example.level >= 3')",
      "examples",
    ),
    failed: flag("Show only failed rollouts"),
    sort: valueOption(`Sort by ${sortKeys.join(", ")}, in ascending order`, "key"),
    reverse: flag("With --sort: sort in descending order"),
    limit: valueOption("Maximum number of rollouts, or of runs with --list", "count", "n"),
    save: saveOption,
    json: flag("Print one JSON object"),
  },
  exitsOnClosedPipe: true,

  async run({ args }): Promise<number> {
    const limit = integerOption("limit", args.limit);
    const isJson = args.json === true;
    rejectUnusedOptions(args);
    if (args.list === true) {
      await print([await listRuns(args.save, { limit, isJson })]);
      return 0;
    }
    if (args.web === true) {
      const { viewInBrowser } = await import("../viewer/web.ts");
      const port = integerOption("port", args.port, 0);
      await viewInBrowser({ run: args.run, outputs: args.save, port });
      return 0;
    }
    const selection: Selection = {
      where: args.where,
      isFailedOnly: args.failed === true,
      sort: sortKey(args.sort),
      isReversed: args.reverse === true,
      limit,
    };
    const run = await openRun(args.run, { outputs: args.save, select: args.select });
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY;
    if (isInteractive && !isJson) {
      const { view } = await import("../viewer/terminal.ts");
      return view(run, selection, { input: process.stdin, output: process.stdout });
    }
    await print(isJson ? jsonChunks(run, selection) : textChunks(run, selection));
    return 0;
  },
});

/** Throws a `UsageError` for an option that has no effect beside the others. */
function rejectUnusedOptions(args: Readonly<Partial<Record<string, unknown>>>): void {
  const filters = ["where", "select", "failed", "sort", "reverse"];
  const [mode, unused] =
    args["list"] === true
      ? (["with --list", ["run", "web", "port", ...filters]] as const)
      : args["web"] === true
        ? (["with --web", ["limit", "json", ...filters]] as const)
        : (["without --web", ["port"]] as const);
  const name = unused.find((option) => args[option] !== undefined && args[option] !== false);
  if (name !== undefined)
    throw new UsageError(`${name === "run" ? "A run" : `--${name}`} has no effect ${mode}.`);
  if (args["reverse"] === true && args["sort"] === undefined)
    throw new UsageError("--reverse has no effect without --sort.");
}

function sortKey(text: string | undefined): SortKey | undefined {
  const key = sortKeys.find((name) => name === text);
  if (text === undefined || key !== undefined) return key;
  throw new UsageError(`--sort is ${JSON.stringify(text)}. Choose: ${sortKeys.join(", ")}.`);
}

function* textChunks(run: ViewedRun, selection: Selection): Generator<string> {
  const columns = process.stdout.columns ?? Infinity;
  const selected = selectRollouts(run.rollouts, selection);
  yield summaryLines(run, columns).join("\n");
  if (selected.length === 0 && run.rollouts.length > 0) yield "\nNo rollout matches.";
  for (const [index, rollout] of selected.entries()) {
    const position = `${index + 1} of ${selected.length}`;
    yield paint("dim", `\n${"─".repeat(Math.min(columns, 72))}`);
    yield rolloutLines(rollout, { columns, isWhole: true, position, folder: run.path }).join("\n");
  }
}

function* jsonChunks(run: ViewedRun, selection: Selection): Generator<string> {
  const { path, metadata, summary, problems } = run;
  const selected = selectRollouts(run.rollouts, selection);
  const head = JSON.stringify({ run: path, metadata, summary: summaryJson(summary), problems });
  yield `${head.slice(0, -1)},"rollouts":[`;
  for (const [index, rollout] of selected.entries())
    yield JSON.stringify(toRow(rollout)) + (index < selected.length - 1 ? "," : "");
  yield "]}";
}

/** Prints chunk by chunk and waits for the reader of stdout, so that a large run is not buffered in memory. */
async function print(chunks: Iterable<string>): Promise<void> {
  for (const chunk of chunks)
    if (!process.stdout.write(`${chunk}\n`)) await once(process.stdout, "drain");
}
