import type { Entity } from "./entity.ts";
import { extras } from "./extras.ts";
import { writeSentence } from "./relation.ts";
import { links } from "./relations.ts";

/** The encyclopedia's text about one entity. */
export interface Article {
  readonly id: string;
  readonly title: string;
  readonly lead: string;
  /** Texts by section name, in reading order. */
  readonly sections: ReadonlyMap<string, string>;
}

/** Writes the article from the entity's relations and extra sentences. */
export function writeArticle(entity: Entity): Article {
  const lines = new Map<string, string[]>();
  const add = (section: string, sentence: string): void => {
    const sentences = lines.get(section);
    if (sentences === undefined) lines.set(section, [sentence]);
    else sentences.push(sentence);
  };
  for (const { relation, value } of links(entity))
    add(
      relation.section,
      writeSentence(relation, entity.name, typeof value === "string" ? value : value.title),
    );
  for (const [section, sentence] of extras(entity)) add(section, sentence);

  const texts = new Map([...lines].map(([section, sentences]) => [section, sentences.join("\n")]));
  const lead = texts.get("lead") ?? "";
  texts.delete("lead");
  return { id: entity.id, title: entity.title, lead, sections: texts };
}
