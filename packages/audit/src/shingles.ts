/** Overlaps of texts by MinHash: similar texts share one of few bands, so that not all pairs are compared. */

const width = 5;
const hashes = 64;
const bands = 16;
const minWords = 20;
const maxWords = 400;

/** Two texts, by their positions, and the share of their sequences of five words that both have. */
export interface NearPair {
  readonly left: number;
  readonly right: number;
  readonly overlap: number;
}

/**
 * Finds pairs of texts whose shingles overlap by at least `min`, in time that grows with the number of texts. Texts of fewer
 * than 20 words are too short to compare; the first 400 words count.
 */
export function nearPairs(texts: readonly string[], min: number): readonly NearPair[] {
  const sets = texts.map(shinglesOf);
  const buckets = new Map<string, number[]>();
  const pairs = new Map<string, NearPair>();
  for (const [index, shingles] of sets.entries()) {
    if (shingles.size === 0) continue;
    const signature = signatureOf(shingles);
    for (let band = 0; band < bands; band += 1) {
      const rows = hashes / bands;
      const key = `${band}:${signature.slice(band * rows, (band + 1) * rows).join()}`;
      const bucket = buckets.get(key) ?? [];
      // Compares only a few texts of a large bucket, which contains a template.
      for (const other of bucket.slice(-8)) {
        if (pairs.has(`${other},${index}`)) continue;
        const overlap = jaccard(sets[other]!, shingles);
        if (overlap >= min) pairs.set(`${other},${index}`, { left: other, right: index, overlap });
      }
      bucket.push(index);
      buckets.set(key, bucket);
    }
  }
  return [...pairs.values()];
}

function shinglesOf(text: string): ReadonlySet<number> {
  const words = text.split(" ").slice(0, maxWords);
  if (words.length < minWords) return new Set();
  return new Set(
    Array.from({ length: words.length - width + 1 }, (_, at) =>
      hashOf(words.slice(at, at + width).join(" ")),
    ),
  );
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function signatureOf(shingles: ReadonlySet<number>): readonly number[] {
  const smallest = Array<number>(hashes).fill(0xffffffff);
  for (const shingle of shingles)
    for (let index = 0; index < hashes; index += 1) {
      let mixed = Math.imul(shingle ^ (index * 0x9e3779b1), 0x85ebca6b);
      mixed = (mixed ^ (mixed >>> 15)) >>> 0;
      if (mixed < smallest[index]!) smallest[index] = mixed;
    }
  return smallest;
}

function jaccard(left: ReadonlySet<number>, right: ReadonlySet<number>): number {
  let common = 0;
  for (const shingle of left) if (right.has(shingle)) common += 1;
  return common / (left.size + right.size - common);
}
