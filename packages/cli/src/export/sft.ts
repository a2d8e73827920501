import { FailureError } from "../exit.ts";
import { chatLines } from "../synth/export.ts";
import { sift } from "../synth/sift.ts";
import type { Exported } from "./form.ts";
import type { RunSource } from "./kept.ts";

/** A run as chat JSONL, as trainers read it: finished rollouts, each conversation once. */
export function sft(
  { rollouts, clauses, tools, model }: RunSource,
  { isBare }: { readonly isBare: boolean },
): Exported {
  const { kept, leftOut } = sift(rollouts, {
    clauses,
    keepsTruncated: false,
    keepsDuplicates: false,
  });
  if (kept.length === 0)
    throw new FailureError("No rollout is left, so there is nothing to write.");
  const why = leftOut
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${count} ${reason}`);
  return {
    files: [
      {
        path: "chats.jsonl",
        text: chatLines(kept, { isBare, model, ...(tools === undefined ? {} : { tools }) }),
      },
    ],
    notes: [
      `kept      ${kept.length} of ${rollouts.length} rollouts${why.length === 0 ? "" : `; left out: ${why.join(", ")}`}`,
    ],
  };
}
