import type { Branch } from "@envs/core";
import { describeContent, usageOfBranches } from "@envs/core/engine";

import { clean, paint } from "../terminal/text.ts";
import { wrap } from "../terminal/wrap.ts";
import { callFigures } from "../text/figures.ts";

interface BranchLayout {
  readonly columns: number;
  /** Show the calls, not only their number. */
  readonly isWhole: boolean;
}

const indent = "  ";
/** The maximum number of lines that are shown of a question to a sub-model, which may contain a long text. */
const maxQuestion = 6;

/** Formats the sub-model calls of a turn, or of `setup`: as one line per model, or in full with `isWhole`. */
export function branchLines(
  branches: readonly Branch[] | undefined,
  turn: number | undefined,
  layout: BranchLayout,
): readonly string[] {
  const calls = branches?.filter((branch) => branch.turn === turn) ?? [];
  const usages = Object.entries(usageOfBranches(calls) ?? {});
  const hint = layout.isWhole ? "" : ", press a to show";
  return [
    ...usages.map(([name, usage]) =>
      paint("magenta", `${indent}⤷ sub-model ${clean(name)} ${callFigures(usage)}${hint}`),
    ),
    ...(layout.isWhole ? calls.flatMap((call) => callLines(call, layout)) : []),
  ];
}

function callLines(
  { messages, message, isOverflow = false }: Branch,
  { columns }: BranchLayout,
): readonly string[] {
  const lines = (text: string, prefix: string): readonly string[] =>
    wrap(clean(text), columns - 8).map(
      (line, index) => `    ${index === 0 ? prefix : "  "}${line}`,
    );
  const question = lines(describeContent(messages.at(-1)?.content ?? ""), "? ");
  const hidden = question.length - maxQuestion;
  return [
    ...question.slice(0, maxQuestion).map((line) => paint("dim", line)),
    ...(hidden > 0 ? [paint(["dim", "italic"], `      … ${hidden} more lines`)] : []),
    ...lines(isOverflow ? "(the messages exceed its context)" : message.content, "= "),
  ];
}
