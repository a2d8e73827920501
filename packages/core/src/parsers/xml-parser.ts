import { ConfigError } from "../errors.ts";
import type { Message } from "../message/message.ts";
import { meanOverReplies, type Parser } from "./parser.ts";

/** A tag, or a list of alternatives whose first is the name of the field. A final `?` makes the field optional. */
export type XmlField = string | readonly [string, ...string[]];

type FieldName<Field extends XmlField> = Field extends `${infer Name}?`
  ? Name
  : Field extends string
    ? Field
    : Field extends readonly [infer First extends string, ...string[]]
      ? FieldName<First>
      : never;

/** The text of each field; `undefined` without a complete pair of tags. */
export type XmlFields<Field extends XmlField> = {
  readonly [Name in FieldName<Field>]: string | undefined;
};

/** Reads named `<tags>`. If a tag is repeated, the last complete pair counts. */
export interface XmlParser<Field extends XmlField> extends Parser<XmlFields<Field>> {
  /** Writes the texts in their tags, in the order of the fields. `parse` reads them back. */
  render(fields: Partial<Record<FieldName<Field>, string>>): string;
  /** The share of the model's messages with every required tag, and with the tags in the order of the fields. */
  formatScore(completion: readonly Message[]): number;
  /**
   * The format score of verifiers' `XMLParser`, as a mean over the model's messages: 0.4 × the share of fields that occur (if
   * one is complete), plus 0.2, plus 0.2 if the text starts with the first field's tag, plus 0.2 if it ends with the last's.
   */
  verifiersFormatScore(completion: readonly Message[]): number;
}

interface Tag {
  readonly name: string;
  readonly alternatives: readonly string[];
  readonly isOptional: boolean;
}

/** Creates a parser of fields in tags: `xmlParser("think?", "move")`, `xmlParser(["answer", "result"])`. */
export function xmlParser<const Fields extends readonly XmlField[]>(
  ...fields: Fields
): XmlParser<Fields[number]> {
  const tags = fields.map(toTag);
  checkDuplicates(tags.flatMap(({ alternatives }) => alternatives));
  const find = (text: string, { alternatives }: Tag): Pair | undefined =>
    alternatives
      .map((tag) => lastPair(text, tag))
      .filter((pair) => pair !== undefined)
      .toSorted((a, b) => b.start - a.start)[0];

  const followsFormat = (text: string): boolean => {
    let previousEnd = 0;
    return tags.every((tag) => {
      const pair = find(text, tag);
      if (pair === undefined) return tag.isOptional;
      const isInOrder = pair.start >= previousEnd;
      previousEnd = pair.end;
      return isInOrder;
    });
  };

  return {
    format: tags.map(({ name }) => `<${name}>...</${name}>`).join(" "),
    parse: (text) =>
      Object.fromEntries(
        tags.map((tag) => [tag.name, find(text, tag)?.content.trim()]),
      ) as unknown as XmlFields<Fields[number]>,
    render: (values) =>
      tags
        .map(({ name }) => [name, values[name as FieldName<Fields[number]>]] as const)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `<${name}>${value}</${name}>`)
        .join("\n"),
    formatScore: (completion) =>
      meanOverReplies(completion, (text) => (followsFormat(text) ? 1 : 0)),
    verifiersFormatScore: (completion) =>
      meanOverReplies(completion, (text) => verifiersFormat(text, tags)),
  };
}

function toTag(field: XmlField): Tag {
  const [first, ...others] = typeof field === "string" ? [field] : field;
  const isOptional = first.endsWith("?");
  const name = isOptional ? first.slice(0, -1) : first;
  const alternatives = [name, ...others];
  const invalid = alternatives.find((tag) => !/^[A-Za-z_][\w.-]*$/.test(tag));
  if (invalid !== undefined)
    throw new ConfigError(
      `${JSON.stringify(invalid)} is not a valid tag. Begin with a letter or "_", and use letters, digits, "_", "-" and ".".`,
    );
  return { name, alternatives, isOptional };
}

function checkDuplicates(names: readonly string[]): void {
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined)
    throw new ConfigError(
      `xmlParser() has the tag ${JSON.stringify(duplicate)} twice. Remove or rename one.`,
    );
}

interface Pair {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** Finds the last `<tag>…</tag>` without another `<tag>` inside, in three scans: linear time. */
function lastPair(text: string, tag: string): Pair | undefined {
  const opening = `<${tag}>`;
  const closing = `</${tag}>`;
  const lastClose = text.lastIndexOf(closing);
  if (lastClose < opening.length) return undefined;
  const start = text.lastIndexOf(opening, lastClose - opening.length);
  if (start < 0) return undefined;
  const from = start + opening.length;
  const to = text.indexOf(closing, from);
  return { start, end: to + closing.length, content: text.slice(from, to) };
}

function verifiersFormat(text: string, tags: readonly Tag[]): number {
  const trimmed = text.trim();
  const isComplete = (tag: string): boolean => {
    const start = text.indexOf(`<${tag}>`);
    return start >= 0 && text.indexOf(`</${tag}>`, start) >= 0;
  };
  const occurs = (tag: string): boolean => text.includes(`<${tag}>`) || text.includes(`</${tag}>`);
  const hasAny = tags.some(({ alternatives }) => alternatives.some(isComplete));
  const present = tags.filter(({ alternatives }) => alternatives.some(occurs)).length;
  const starts = tags[0]?.alternatives.some((tag) => trimmed.startsWith(`<${tag}>`)) ?? false;
  const ends = tags.at(-1)?.alternatives.some((tag) => trimmed.endsWith(`</${tag}>`)) ?? false;
  const share = hasAny ? 0.4 * (present / tags.length) : 0;
  return share + 0.2 + (starts ? 0.2 : 0) + (ends ? 0.2 : 0);
}
