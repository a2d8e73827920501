/** A slice of each text, ends exclusive. */
type Range = readonly [aStart: number, aEnd: number, bStart: number, bEnd: number];

/** A common substring of `size` characters that starts at index `a` in one text and at index `b` in the other. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** Both texts, and the indices in `b` of each character that can begin a match. */
interface Pair {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly indices: ReadonlyMap<string, readonly number[]>;
}

/**
 * Computes Python's `difflib.SequenceMatcher(None, left, right).ratio()`: find the longest common substring, repeat on
 * both sides of it, and divide twice the matched length by the sum of the lengths. As in Python, a character that makes
 * up more than 1 % of a `right` of at least 200 characters cannot begin a match.
 */
export function difflibRatio(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * matchedLength({ a, b, indices: rareIndices(b) })) / total;
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

function rareIndices(b: readonly string[]): Pair["indices"] {
  const indices = Map.groupBy(b.keys(), (index) => b[index]!);
  if (b.length < 200) return indices;
  const maxCount = Math.floor(b.length / 100) + 1;
  return new Map([...indices].filter(([, positions]) => positions.length <= maxCount));
}

/** Returns the longest match; ties go to the lowest index in `a`, then in `b`. */
function longestMatch({ a, indices }: Pair, [aStart, aEnd, bStart, bEnd]: Range): Match {
  let best: Match = { a: aStart, b: bStart, size: 0 };
  // For each index of `b`, the length of the match that ends there and at the current index of `a`.
  let lengths = new Map<number, number>();
  for (let i = aStart; i < aEnd; i += 1) {
    const longer = new Map<number, number>();
    for (const j of indices.get(a[i]!) ?? []) {
      if (j < bStart || j >= bEnd) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      longer.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = longer;
  }
  return best;
}

/** Extends a match in both directions: frequent characters cannot begin a match but can lengthen one. */
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
