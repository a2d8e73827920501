import type { Entity } from "./entity.ts";

/**
 * One thing that an article says of its subject, with exactly one value: another entity or a text. The same sentence is
 * written into the article and read out of it.
 */
export interface Relation<Subject extends Entity = Entity> {
  /** The section that says it; `lead` is what comes before the first section. */
  readonly section: string;
  /** How the article says it, with `{subject}` and `{value}`. */
  readonly sentence: string;
  /** How a question asks for it, with `{subject}`. */
  readonly question: string;
  /** How a question names the value without telling it, with `{subject}`; texts have none. */
  readonly phrase?: string;
  value(subject: Subject): Entity | string | undefined;
}

/** A relation and what it leads to from one entity. */
export interface Link {
  /** `city.country`: the kind of the subject and the name of the relation. */
  readonly key: string;
  readonly relation: Relation;
  readonly value: Entity | string;
}

/** Says a relation: puts subject and value into its sentence. A value that ends with a full stop ends the sentence. */
export function say({ sentence }: Relation, subject: string, value: string): string {
  const said = sentence.replace("{subject}", () => subject).replace("{value}", () => value);
  return said.replace(/\.\.$/, ".");
}

/** Reads the value of a relation out of text that says it, whatever the subject; nothing if no line does. */
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
