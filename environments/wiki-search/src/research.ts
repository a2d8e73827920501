import { slug } from "./fold.ts";
import type { Question } from "./question.ts";
import { readValue } from "./relation.ts";
import { relationOf } from "./relations.ts";

/** The name and arguments of the next tool call. */
export interface ToolCallInput {
  readonly name: "search" | "open" | "read";
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Finds the answer as a reader would: it knows the relations that the question follows and reads every name and value
 * from the tools' results. Yields tool calls, receives their results, and returns the answer.
 */
function* research({
  start,
  relations,
}: Pick<Question, "start" | "relations">): Generator<ToolCallInput, string, string> {
  let title = start;
  for (const key of relations) {
    const relation = relationOf(key);
    const id = idOf(title, yield { name: "search", arguments: { query: title } });
    const opened = yield { name: "open", arguments: { id } };
    const text =
      relation.section === "lead"
        ? opened
        : yield { name: "read", arguments: { id, section: relation.section } };
    const value = readValue(relation, text);
    if (value === undefined) throw new Error(`The article ${id} lacks its ${key}:\n${text}`);
    title = value;
  }
  return title;
}

/** The next step after these tool results: a tool call, or the answer as text. */
export function nextStep(
  question: Pick<Question, "start" | "relations">,
  results: readonly string[],
): ToolCallInput | string {
  const steps = research(question);
  let step = steps.next();
  for (const result of results) if (step.done !== true) step = steps.next(result);
  return step.value;
}

function idOf(title: string, results: string): string {
  const expected = slug(title);
  for (const [, id] of results.matchAll(/^\[([^\]]+)\] /gm)) if (id === expected) return id;
  throw new Error(`Search found no article titled ${title}:\n${results}`);
}
