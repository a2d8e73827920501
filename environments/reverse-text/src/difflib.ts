/** From where to where in the one text, and from where to where in the other. */
type Range = readonly [aStart: number, aEnd: number, bStart: number, bEnd: number];

/** A stretch of `size` equal elements that begins at `a` in the one text and at `b` in the other. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** Both texts, and where in `b` each character is that may begin a match. */
interface Pair {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/**
 * The number that Python computes as `difflib.SequenceMatcher(None, left, right).ratio()`: take the longest common
 * substring, do the same to the left and to the right of it, and divide twice the matched length by both lengths.
 * As in Python, characters that make up more than 1 % of a `right` of at least 200 characters begin no match.
 */
export function difflibRatio(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * matchedLength({ a, b, places: rarePlaces(b) })) / total;
}

function matchedLength(pair: Pair): number {
  let matched = 0;
  const ranges: Range[] = [[0, pair.a.length, 0, pair.b.length]];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const [aStart, aEnd, bStart, bEnd] = range;
    const { a, b, size } = extend(pair, range, longestMatch(pair, range));
    if (size === 0) continue;
    matched += size;
    ranges.push([aStart, a, bStart, b], [a + size, aEnd, b + size, bEnd]);
  }
  return matched;
}

function rarePlaces(b: readonly string[]): Pair["places"] {
  const places = Map.groupBy(b.keys(), (index) => b[index]!);
  if (b.length < 200) return places;
  const most = Math.floor(b.length / 100) + 1;
  return new Map([...places].filter(([, indices]) => indices.length <= most));
}

/** Of the longest matches, the one that begins first in `a`, and of those the first in `b`. */
function longestMatch({ a, places }: Pair, [aStart, aEnd, bStart, bEnd]: Range): Match {
  let best: Match = { a: aStart, b: bStart, size: 0 };
  // For each place of `b`, the length of the match that ends there and at the current place of `a`.
  let lengths = new Map<number, number>();
  for (let i = aStart; i < aEnd; i += 1) {
    const longer = new Map<number, number>();
    for (const j of places.get(a[i]!) ?? []) {
      if (j < bStart || j >= bEnd) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      longer.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = longer;
  }
  return best;
}

/** Frequent characters begin no match but may lengthen one. */
function extend({ a, b }: Pair, [aStart, aEnd, bStart, bEnd]: Range, match: Match): Match {
  let { a: i, b: j, size } = match;
  while (i > aStart && j > bStart && a[i - 1] === b[j - 1]) {
    i -= 1;
    j -= 1;
    size += 1;
  }
  while (i + size < aEnd && j + size < bEnd && a[i + size] === b[j + size]) size += 1;
  return { a: i, b: j, size };
}
