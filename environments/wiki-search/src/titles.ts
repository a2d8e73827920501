import { slug } from "./fold.ts";

/** What an article is found by. */
export interface Title {
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

/** Gives out titles, none twice: a name that several articles share gets a qualifier in brackets. */
export interface Titles {
  /** The title of `name`, or nothing if even the qualified title is taken. */
  claim(name: string, qualifier: string): Title | undefined;
  /** A title that keeps its name bare, whoever shares it. */
  claimBare(name: string): Title | undefined;
}

/** Titles for all of `names`; a name is shared if it comes twice. */
export function titles(names: Iterable<string>): Titles {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const name of names) {
    const id = slug(name);
    if (seen.has(id)) shared.add(id);
    seen.add(id);
  }
  const taken = new Set<string>();
  const take = (name: string, title: string): Title | undefined => {
    const id = slug(title);
    if (id === "" || taken.has(id)) return undefined;
    taken.add(id);
    return { id, name, title };
  };
  return {
    claim: (name, qualifier) =>
      take(name, shared.has(slug(name)) ? `${name} (${qualifier})` : name),
    claimBare: (name) => take(name, name),
  };
}
