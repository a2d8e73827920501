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
/** The lines that are shown of what a sub-model was asked: it may be a long part of a text. */
const maxQuestion = 6;

/** The sub-model calls that hang on a turn, or that `setup` made. Folded to a line for each model, unless all is shown. */
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
