import { slug } from "./fold.ts";

/** An article's id, name and title. */
export interface Title {
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

/** Assigns unique titles: a name that several articles share gets a qualifier in brackets. */
export interface Titles {
  /** Claims the title of `name`; `undefined` if even the qualified title is in use. */
  claim(name: string, qualifier: string): Title | undefined;
  /** Claims `name` without a qualifier, even if other articles share it. */
  claimBare(name: string): Title | undefined;
}

/** Prepares titles for all of `names`; a name that occurs twice is shared. */
export function titles(names: Iterable<string>): Titles {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const name of names) {
    const id = slug(name);
    if (seen.has(id)) shared.add(id);
    seen.add(id);
  }
  const used = new Set<string>();
  const claim = (name: string, title: string): Title | undefined => {
    const id = slug(title);
    if (id === "" || used.has(id)) return undefined;
    used.add(id);
    return { id, name, title };
  };
  return {
    claim: (name, qualifier) =>
      claim(name, shared.has(slug(name)) ? `${name} (${qualifier})` : name),
    claimBare: (name) => claim(name, name),
  };
}
