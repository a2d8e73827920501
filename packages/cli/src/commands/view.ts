import { once } from "node:events";

import { toRow } from "@envs/core/records";
import { type EnvsCommand, integerOption, paint, UsageError } from "@envs/terminal";
import type { ArgsDef } from "citty";

import { rolloutLines } from "../render/rollout.ts";
import { summaryLines } from "../render/run-summary.ts";
import { listRuns } from "../runs/list-runs.ts";
import { openRun, type ViewedRun } from "../runs/open-run.ts";
import { select, type Selection, type SortKey, sortKeys } from "../runs/select-rollouts.ts";

const viewArguments = {
  run: {
    type: "positional",
    required: false,
    description: "The folder of a run (default: the newest)",
  },
  list: { type: "boolean", description: "List the runs, the newest first" },
  where: {
    type: "string",
    alias: "w",
    description:
      "Only these rollouts: scores, reward, turns, tokens, truncated, status, stop, error, example, rollout; such as 'win > 0 && turns < 5'",
    valueHint: "expression",
  },
  failed: { type: "boolean", description: "Only failed rollouts" },
  sort: {
    type: "string",
    description: `By ${sortKeys.join(", ")}: the least first`,
    valueHint: "key",
  },
  reverse: { type: "boolean", description: "With --sort: the greatest first" },
  limit: {
    type: "string",
    alias: "n",
    description: "At most so many rollouts, or runs with --list",
    valueHint: "count",
  },
  save: {
    type: "string",
    default: "outputs",
    description: "The folder that runs are saved below (default outputs)",
    valueHint: "folder",
  },
  json: { type: "boolean", description: "Print one JSON object" },
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof viewArguments> = {
  meta: {
    name: "view",
    description: "Read a saved run: summary, then rollout by rollout",
  },
  args: viewArguments,
  exitsOnClosedPipe: true,

  async run({ args }): Promise<number> {
    const limit = integerOption("limit", args.limit);
    const isJson = args.json === true;
    if (args.list === true) {
      await print([await listRuns(args.save, { limit, isJson })]);
      return 0;
    }
    const selection: Selection = {
      where: args.where,
      isFailedOnly: args.failed === true,
      sort: sortKey(args.sort),
      isReversed: args.reverse === true,
      limit,
    };
    const run = await openRun(args.run, args.save);
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
    if (isTerminal && !isJson) {
      const { view } = await import("../viewer/terminal.ts");
      return view(run, selection, { input: process.stdin, output: process.stdout });
    }
    await print(isJson ? jsonParts(run, selection) : textParts(run, selection));
    return 0;
  },
};

function sortKey(text: string | undefined): SortKey | undefined {
  const key = sortKeys.find((name) => name === text);
  if (text === undefined || key !== undefined) return key;
  throw new UsageError(`--sort is ${JSON.stringify(text)}. Choose: ${sortKeys.join(", ")}.`);
}

function* textParts(run: ViewedRun, selection: Selection): Generator<string> {
  const columns = process.stdout.columns ?? Infinity;
  const selected = select(run.rollouts, selection);
  yield summaryLines(run, columns).join("\n");
  if (selected.length === 0 && run.rollouts.length > 0) yield "\nNo rollout is meant by this.";
  for (const [index, rollout] of selected.entries()) {
    const place = `${index + 1} of ${selected.length}`;
    yield paint("dim", `\n${"─".repeat(Math.min(columns, 72))}`);
    yield rolloutLines(rollout, { columns, isWhole: true, place }).join("\n");
  }
}

function* jsonParts(run: ViewedRun, selection: Selection): Generator<string> {
  const { path, metadata, summary, problems } = run;
  const selected = select(run.rollouts, selection);
  const head = JSON.stringify({ run: path, metadata, summary: summaryJson(summary), problems });
  yield `${head.slice(0, -1)},"rollouts":[`;
  for (const [index, rollout] of selected.entries())
    yield JSON.stringify(toRow(rollout)) + (index < selected.length - 1 ? "," : "");
  yield "]}";
}

/** The same fields as those of `envs eval --json`. */
function summaryJson(summary: ViewedRun["summary"]): Readonly<Record<string, unknown>> {
  const { counts, reward, scores, failures, stopReasons, passAtK, passHatK, usage } = summary;
  return {
    counts,
    reward,
    scores,
    failures,
    stop_reasons: stopReasons,
    pass_at_k: passAtK,
    pass_all_k: passHatK,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
  };
}

/** Writes part by part, no faster than they are read. */
async function print(parts: Iterable<string>): Promise<void> {
  for (const part of parts)
    if (!process.stdout.write(`${part}\n`)) await once(process.stdout, "drain");
}
