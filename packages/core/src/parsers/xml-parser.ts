import { ConfigError } from "../errors.ts";
import type { Message } from "../message.ts";
import { meanOverReplies, type Parser } from "./parser.ts";

/** A tag, or several that mean the same (the first names it). A final `?` makes it optional. */
export type XmlField = string | readonly [string, ...string[]];

type FieldName<Field extends XmlField> = Field extends `${infer Name}?`
  ? Name
  : Field extends string
    ? Field
    : Field extends readonly [infer First extends string, ...string[]]
      ? FieldName<First>
      : never;

/** The text of each tag; `undefined` where there is no complete pair. */
export type XmlFields<Field extends XmlField> = {
  readonly [Name in FieldName<Field>]: string | undefined;
};

/** Reads named `<tags>`. Of a repeated tag, the last complete pair counts. */
export interface XmlParser<Field extends XmlField> extends Parser<XmlFields<Field>> {
  /** Writes the tags around the given texts, in order; what `parse` reads back. */
  render(fields: Partial<Record<FieldName<Field>, string>>): string;
  /**
   * The share of the model's messages that keep the format: every required tag is there, and the tags stand in the
   * order declared.
   */
  formatScore(completion: readonly Message[]): number;
  /**
   * The format score of verifiers' `XMLParser`, a mean over messages of at most 1: 0.4 × the share of fields present
   * (if any is complete), 0.2 always, 0.2 for starting with the first field's tag, 0.2 for ending with the last's.
   */
  verifiersFormatScore(completion: readonly Message[]): number;
}

interface Tag {
  readonly name: string;
  readonly alternatives: readonly string[];
  readonly isOptional: boolean;
}

/** Creates a parser of tags: `xmlParser("think?", "move")`, `xmlParser(["answer", "result"])`. */
export function xmlParser<const Fields extends readonly XmlField[]>(
  ...fields: Fields
): XmlParser<Fields[number]> {
  const tags = fields.map(toTag);
  refuseTwice(tags.flatMap(({ alternatives }) => alternatives));
  const find = (text: string, { alternatives }: Tag): Pair | undefined =>
    alternatives
      .map((tag) => lastPair(text, tag))
      .filter((pair) => pair !== undefined)
      .toSorted((a, b) => b.start - a.start)[0];

  const keepsFormat = (text: string): boolean => {
    let reached = 0;
    return tags.every((tag) => {
      const pair = find(text, tag);
      if (pair === undefined) return tag.isOptional;
      const isInOrder = pair.start >= reached;
      reached = pair.end;
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
    formatScore: (completion) => meanOverReplies(completion, (text) => (keepsFormat(text) ? 1 : 0)),
    verifiersFormatScore: (completion) =>
      meanOverReplies(completion, (text) => verifiersFormat(text, tags)),
  };
}

function toTag(field: XmlField): Tag {
  const [first, ...others] = typeof field === "string" ? [field] : field;
  const isOptional = first.endsWith("?");
  const name = isOptional ? first.slice(0, -1) : first;
  const alternatives = [name, ...others];
  const wrong = alternatives.find((tag) => !/^[A-Za-z_][\w.-]*$/.test(tag));
  if (wrong !== undefined)
    throw new ConfigError(
      `${JSON.stringify(wrong)} cannot be a tag. Use letters, digits, "_", "-" and ".".`,
    );
  return { name, alternatives, isOptional };
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined)
    throw new ConfigError(`The tag ${JSON.stringify(twice)} is named twice.`);
}

interface Pair {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** The last `<tag>…</tag>` with no other opening of it inside. A few scans, so linear. */
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
