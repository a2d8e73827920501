/** From where to where in the one text, and from where to where in the other. */
type Range = readonly [aStart: number, aEnd: number, bStart: number, bEnd: number];

/** A stretch of `size` equal elements that begins at `a` in the one text and at `b` in the other. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/**
 * The number that Python computes as `difflib.SequenceMatcher(None, left, right).ratio()`: take the longest common
 * substring, do the same to the left and to the right of it, and divide twice the matched length by both lengths.
 * As in Python, characters that make up more than 1 % of a `right` of at least 200 characters begin no match.
 */
export function difflibRatio(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * matchedLength(a, b)) / total;
}

function matchedLength(a: readonly string[], b: readonly string[]): number {
  const places = rarePlaces(b);
  let matched = 0;
  const ranges: Range[] = [[0, a.length, 0, b.length]];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const [aStart, aEnd, bStart, bEnd] = range;
    const match = longestMatch(a, b, range, places);
    if (match.size === 0) continue;
    matched += match.size;
    ranges.push([aStart, match.a, bStart, match.b]);
    ranges.push([match.a + match.size, aEnd, match.b + match.size, bEnd]);
  }
  return matched;
}

function rarePlaces(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  b.forEach((item, index) => {
    const known = places.get(item);
    if (known === undefined) places.set(item, [index]);
    else known.push(index);
  });
  if (b.length < 200) return places;
  const most = Math.floor(b.length / 100) + 1;
  return new Map([...places].filter(([, indices]) => indices.length <= most));
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  range: Range,
  places: ReadonlyMap<string, readonly number[]>,
): Match {
  const [aStart, aEnd, bStart, bEnd] = range;
  let best: Match = { a: aStart, b: bStart, size: 0 };
  // For each place of `b`, the length of the match that ends there and at the current place of `a`.
  let lengths = new Map<number, number>();
  for (let i = aStart; i < aEnd; i += 1) {
    const longer = new Map<number, number>();
    for (const j of places.get(a[i]!) ?? []) {
      if (j < bStart) continue;
      if (j >= bEnd) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      longer.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = longer;
  }
  return extend(a, b, range, best);
}

/** Frequent characters begin no match but may lengthen one. */
function extend(
  a: readonly string[],
  b: readonly string[],
  [aStart, aEnd, bStart, bEnd]: Range,
  match: Match,
): Match {
  let { a: i, b: j, size } = match;
  while (i > aStart && j > bStart && a[i - 1] === b[j - 1]) {
    i -= 1;
    j -= 1;
    size += 1;
  }
  while (i + size < aEnd && j + size < bEnd && a[i + size] === b[j + size]) size += 1;
  return { a: i, b: j, size };
}
