import { slug } from "./fold.ts";
import type { Question } from "./question.ts";
import { readValue } from "./relation.ts";
import { relationOf } from "./relations.ts";

/** A tool call to make next. */
export interface Call {
  readonly name: "search" | "open" | "read";
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Finds an answer as a reader would: it knows what the question asks for, and takes every name and value from the
 * texts that it is sent. Yields a call, is sent what the tool said, returns the answer.
 */
function* research({
  start,
  relations,
}: Pick<Question, "start" | "relations">): Generator<Call, string, string> {
  let found = start;
  for (const key of relations) {
    const relation = relationOf(key);
    const id = idOf(found, yield { name: "search", arguments: { query: found } });
    const opened = yield { name: "open", arguments: { id } };
    const text =
      relation.section === "lead"
        ? opened
        : yield { name: "read", arguments: { id, section: relation.section } };
    const value = readValue(relation, text);
    if (value === undefined) throw new Error(`The article ${id} does not say its ${key}:\n${text}`);
    found = value;
  }
  return found;
}

/** The next step of a research that was told `results` so far: a call, or the answer as text. */
export function nextStep(
  question: Pick<Question, "start" | "relations">,
  results: readonly string[],
): Call | string {
  const steps = research(question);
  let step = steps.next();
  for (const result of results) if (step.done !== true) step = steps.next(result);
  return step.value;
}

function idOf(title: string, results: string): string {
  const wanted = slug(title);
  for (const [, id] of results.matchAll(/^\[([^\]]+)\] /gm)) if (id === wanted) return id;
  throw new Error(`Search found no article titled ${title}:\n${results}`);
}
