const separators = /[@/._-]/g;

const lookAlikes: readonly (readonly [RegExp, string])[] = [
  [/rn/g, "m"],
  [/vv/g, "w"],
  [/0/g, "o"],
  [/[1i]/g, "l"],
  [/2/g, "z"],
  [/3/g, "e"],
  [/4/g, "a"],
  [/5/g, "s"],
  [/7/g, "t"],
  [/8/g, "b"],
  [/9/g, "g"],
];

/** Words with which an impersonator claims to be the owner of another name. */
const claims =
  /^(?:official|original|real|the|verified)[._-]+|[._-]*official$|[._-]+(?:admin|hq|original|real|security|staff|support|team|verified)$/g;

/** The minimum length of names that are compared by edits: in shorter ones, one edit usually makes a different word. */
const minEditLength = 5;

/**
 * Returns the name in `existing` that `name` could be confused with, or `undefined`: one that differs only in case,
 * separators, look-alike characters or a plural, or, from five characters on, by one edit or one transposition, or one to which
 * `name` adds a claim, such as `-official`. The caller excludes names of the same owner.
 */
export function tooSimilar(name: string, existing: Iterable<string>): string | undefined {
  const look = lookOf(name);
  for (const other of existing) {
    if (other === name) continue;
    const otherLook = lookOf(other);
    if (look.whole === otherLook.whole || look.unclaimed === otherLook.whole) return other;
    if (look.singulars.includes(otherLook.whole) || otherLook.singulars.includes(look.whole))
      return other;
    if (otherLook.whole.length >= minEditLength && isOneEdit(look.whole, otherLook.whole))
      return other;
  }
  return undefined;
}

/**
 * Keys for finding candidates of {@link tooSimilar} in the database: similar names share at least one key. The keys are in a
 * `text[]` column with a GIN index; the caller selects rows of other owners with overlapping keys (`similarity_keys && $1`)
 * and passes their names to {@link tooSimilar}, which decides.
 */
export function similarityKeys(name: string): readonly string[] {
  const { whole, singulars, unclaimed } = lookOf(name);
  // Two words one edit apart become equal when the right letter is removed from one or both of them.
  const shorter = Array.from(whole, (_, at) => whole.slice(0, at) + whole.slice(at + 1));
  return [...new Set([whole, unclaimed, ...singulars, ...shorter])];
}

/** The name without case, separators and look-alike characters, and its possible singulars. */
function lookOf(name: string): Look {
  const word = name.toLowerCase().replaceAll(separators, "");
  const unclaimed = name.toLowerCase().replaceAll(claims, "").replaceAll(separators, "");
  return { whole: fold(word), singulars: singularsOf(word).map(fold), unclaimed: fold(unclaimed) };
}

interface Look {
  readonly whole: string;
  readonly singulars: readonly string[];
  /** The name without claims. */
  readonly unclaimed: string;
}

function fold(word: string): string {
  let folded = word;
  for (const [pattern, letter] of lookAlikes) folded = folded.replaceAll(pattern, letter);
  return folded;
}

function singularsOf(word: string): string[] {
  if (word.length <= 3 || !word.endsWith("s")) return [];
  const singulars = [word.slice(0, -1)];
  if (word.endsWith("es")) singulars.push(word.slice(0, -2));
  if (word.endsWith("ies")) singulars.push(`${word.slice(0, -3)}y`);
  return singulars;
}

/** Whether one insertion, deletion, substitution or transposition turns one word into the other. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  const maxEnd = Math.min(a.length, b.length) - start;
  while (end < maxEnd && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const restOfA = a.slice(start, a.length - end);
  const restOfB = b.slice(start, b.length - end);
  if (restOfA.length <= 1 && restOfB.length <= 1) return true;
  return restOfA.length === 2 && restOfA === restOfB.split("").toReversed().join("");
}
