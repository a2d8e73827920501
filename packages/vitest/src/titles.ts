import type { Environment, Example, Model } from "@envs/core";
import { describeContent, type KeyedExample } from "@envs/core/engine";

/** The name of a suite. */
export function suiteTitle({ name }: Environment, model: Model): string {
  return `${name} with ${model.id ?? "a model"}`;
}

/** The name of the test of an example: its position, its id, and the start of the question. */
export function exampleTitle({ example, index, key }: KeyedExample): string {
  const id = example.id === undefined ? "" : ` ${key}`;
  return `#${index}${id}: ${excerpt(questionOf(example))}`;
}

function questionOf({ prompt }: Example): string {
  if (typeof prompt === "string") return prompt;
  const question = prompt.findLast(({ role }) => role === "user") ?? prompt.at(-1);
  return question === undefined ? "" : describeContent(question.content);
}

/** The start of a text, on one line. */
export function excerpt(text: string, length = 60): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed().trimEnd()}…`;
}
