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

/** Among shorter names, one letter more or less is another word. */
const shortest = 5;

/**
 * The name in `existing` that `name` could be mistaken for, or `undefined`: one that differs only in case, separators,
 * look-alike characters or a plural, or, from five characters on, in one letter or two neighbours swapped. The caller
 * leaves out the names of the same owner.
 */
export function tooSimilar(name: string, existing: Iterable<string>): string | undefined {
  const look = lookOf(name);
  for (const other of existing) {
    if (other === name) continue;
    const otherLook = lookOf(other);
    if (look.whole === otherLook.whole) return other;
    if (look.singulars.includes(otherLook.whole) || otherLook.singulars.includes(look.whole))
      return other;
    if (otherLook.whole.length >= shortest && isOneEdit(look.whole, otherLook.whole)) return other;
  }
  return undefined;
}

/**
 * What to store of a name, so that a database finds the candidates for {@link tooSimilar}: names that are too similar
 * have a key in common. Keep them in a `text[]` column with a GIN index, ask for the rows of other owners whose keys
 * overlap (`similarity_keys && $1`) with those of the new name, and give their names to {@link tooSimilar}, which decides.
 */
export function similarityKeys(name: string): readonly string[] {
  const { whole, singulars } = lookOf(name);
  // Two words one edit apart are equal once the right letter is left out of one of them, or of both.
  const shorter = Array.from(whole, (_, at) => whole.slice(0, at) + whole.slice(at + 1));
  return [...new Set([whole, ...singulars, ...shorter])];
}

/** What is left of a name for an eye in a hurry, and of what it may be the plural. */
function lookOf(name: string): { readonly whole: string; readonly singulars: readonly string[] } {
  const word = name.toLowerCase().replaceAll(separators, "");
  return { whole: fold(word), singulars: singularsOf(word).map(fold) };
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

/** Whether one letter more, less or other, or two neighbours swapped, make one word of the other. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const restOfA = a.slice(start, a.length - end);
  const restOfB = b.slice(start, b.length - end);
  if (restOfA.length <= 1 && restOfB.length <= 1) return true;
  return restOfA.length === 2 && restOfA === restOfB.split("").toReversed().join("");
}
