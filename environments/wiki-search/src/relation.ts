import type { Entity } from "./entity.ts";

/**
 * A fact about a subject with exactly one value: another entity or a text. The same sentence template writes the fact
 * into the article and reads it from there.
 */
export interface Relation<Subject extends Entity = Entity> {
  /** The section with the sentence; `lead` is the text before the first section. */
  readonly section: string;
  /** The sentence in the article, with `{subject}` and `{value}`. */
  readonly sentence: string;
  /** The question for the value, with `{subject}`. */
  readonly question: string;
  /** A description of the value in a longer question, with `{subject}`. Relations whose value is a text lack it. */
  readonly phrase?: string;
  value(subject: Subject): Entity | string | undefined;
}

/** A relation and its value for one entity. */
export interface Link {
  /** `city.country`: the kind of the subject and the name of the relation. */
  readonly key: string;
  readonly relation: Relation;
  readonly value: Entity | string;
}

/** Fills the sentence of a relation. A value that ends with a full stop does not get a second one. */
export function writeSentence({ sentence }: Relation, subject: string, value: string): string {
  const text = sentence.replace("{subject}", () => subject).replace("{value}", () => value);
  return text.replace(/\.\.$/, ".");
}

/** Reads the value of a relation from a text, whatever the subject; `undefined` if no line matches the sentence. */
export function readValue({ sentence }: Relation, text: string): string | undefined {
  const [before = "", after = ""] = sentence.split("{value}");
  const [start = "", middle] = before.split("{subject}");
  for (const line of text.split("\n")) {
    if (!line.startsWith(start) || !line.endsWith(after)) continue;
    const at = middle === undefined ? 0 : line.indexOf(middle, start.length);
    const from = middle === undefined ? start.length : at + middle.length;
    if (at >= 0 && from < line.length - after.length)
      return line.slice(from, line.length - after.length);
  }
  return undefined;
}
