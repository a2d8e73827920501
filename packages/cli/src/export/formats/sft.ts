import type { Rollout } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";
import { servedTools } from "@envs/serve";
import { FailureError, UsageError } from "@envs/terminal";

import { chatLines } from "../chat-jsonl.ts";
import { sift } from "../filter-rollouts.ts";
import type { Exported } from "../format.ts";
import { spokenAsCalls } from "../replies-as-tool-calls.ts";
import type { RunSource } from "../run-source.ts";

export interface SftOptions {
  readonly isBare: boolean;
  /** Plain replies become calls of the tool `respond`, as trainers that know only tools hear them. */
  readonly isCalls: boolean;
}

/** A run as chat JSONL, as trainers read it: finished rollouts, each conversation once. */
export function sft(
  { rollouts, clauses, tools, model }: RunSource,
  { isBare, isCalls }: SftOptions,
): Exported {
  const { kept, leftOut } = sift(rollouts, {
    clauses,
    keepsTruncated: false,
    keepsDuplicates: false,
  });
  if (kept.length === 0)
    throw new FailureError("No rollout is left, so there is nothing to write.");
  const [chats, told] = isCalls ? asCalls(kept, tools) : [kept, tools];
  const why = leftOut
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${count} ${reason}`);
  return {
    files: [
      {
        path: "chats.jsonl",
        text: chatLines(chats, { isBare, model, ...(told === undefined ? {} : { tools: told }) }),
      },
    ],
    notes: [
      `kept      ${kept.length} of ${rollouts.length} rollouts${why.length === 0 ? "" : `; left out: ${why.join(", ")}`}`,
    ],
  };
}

function asCalls(
  rollouts: readonly Rollout[],
  tools: readonly ToolSpec[] | undefined,
): [readonly Rollout[], readonly ToolSpec[]] {
  if (tools === undefined)
    throw new UsageError(
      "--calls needs to know the environment's tools, and the environment of this run is not here. Install it.",
    );
  const served = servedTools(tools);
  const chats = rollouts.map((rollout) => ({
    ...rollout,
    completion: spokenAsCalls(rollout.completion, served),
  }));
  return [chats, served.specs];
}
