import { type Trait, traits, type Wanted } from "./wanted.ts";

type Named = "maintainers" | "scopes" | "keywords";

const lists = new Map<string, Named>([
  ["author", "maintainers"],
  ["maintainer", "maintainers"],
  ["scope", "scopes"],
  ["keywords", "keywords"],
]);

/** What `npm search` means by a text: words, and qualifiers such as `scope:envs` or `not:deprecated`. */
export function npmQuery(text: string): Pick<Wanted, "text" | "is" | Named> {
  const words: string[] = [];
  const named: Partial<Record<Named, string[]>> = {};
  const is: Partial<Record<Trait, boolean>> = {};
  for (const part of text.split(/\s+/)) {
    const [, qualifier = "", value = ""] = /^([a-z]+):(.+)$/.exec(part) ?? [];
    const list = lists.get(qualifier);
    const trait = traits.find((each) => each === value);
    if (list !== undefined) (named[list] ??= []).push(...value.split(",").filter(Boolean));
    else if (trait !== undefined && /^(?:is|not)$/.test(qualifier)) is[trait] = qualifier === "is";
    else words.push(part);
  }
  return { text: words.join(" "), is, ...named };
}
