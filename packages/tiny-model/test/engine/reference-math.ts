/** Plain implementations of the kernels in double precision. */

/** softmax of the first `count` numbers of `row`. */
export function referenceSoftmax(row: readonly number[], count = row.length): number[] {
  const max = Math.max(...row.slice(0, count));
  const powers = row.slice(0, count).map((value) => Math.exp(value - max));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Log-probability of the target, entropy and log Z, at a temperature. */
export function referenceLogSoftmax(
  logits: readonly number[],
  target: number,
  temperature: number,
): { logprob: number; entropy: number; logNormalizer: number } {
  const scaled = logits.map((value) => value / temperature);
  const max = Math.max(...scaled);
  const logNormalizer =
    max + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - max), 0));
  const logprobs = scaled.map((value) => value - logNormalizer);
  const entropy = -logprobs.reduce((sum, value) => sum + Math.exp(value) * value, 0);
  return { logprob: logprobs[target]!, entropy, logNormalizer };
}

/** x / rms(x). */
export function referenceNormalize(x: readonly number[]): number[] {
  const mean = x.reduce((sum, value) => sum + value * value, 0) / x.length;
  return x.map((value) => value / Math.sqrt(mean + 1e-5));
}

/** Rotates the pairs (i, i + half) of each head by position / 10,000^(i / half). */
export function referenceRotate(x: readonly number[], heads: number, position: number): number[] {
  const size = x.length / heads;
  const half = size / 2;
  return x.map((value, at) => {
    const inHead = at % size;
    const pair = inHead % half;
    const angle = position / 10_000 ** (pair / half);
    const other = inHead < half ? -x[at + half]! : x[at - half]!;
    return value * Math.cos(angle) + other * Math.sin(angle);
  });
}

/** Causal attention over rows of queries, and of keys and values, each pair of which serves heads / pairs heads. */
export function referenceAttention(
  qkv: readonly (readonly number[])[],
  heads: number,
  pairs = heads,
): { out: number[][]; weights: number[][][] } {
  const size = qkv[0]!.length / (heads + 2 * pairs);
  const part = (row: number, which: number, head: number): readonly number[] => {
    const pair = Math.floor(head / (heads / pairs));
    const at = which === 0 ? head : heads + (which - 1) * pairs + pair;
    return qkv[row]!.slice(at * size, (at + 1) * size);
  };
  const weights = Array.from({ length: heads }, (_, head) =>
    qkv.map((_, row) => {
      const query = part(row, 0, head);
      const scores = qkv
        .slice(0, row + 1)
        .map((_, other) => dot(query, part(other, 1, head)) / Math.sqrt(size));
      return referenceSoftmax(scores);
    }),
  );
  const out = qkv.map((_, row) =>
    Array.from({ length: heads }, (_, head) =>
      Array.from({ length: size }, (_, at) =>
        weights[head]![row]!.reduce((sum, p, other) => sum + p * part(other, 2, head)[at]!, 0),
      ),
    ).flat(),
  );
  return { out, weights };
}

export function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + value * right[at]!, 0);
}

/** Splits numbers into rows of `width`. */
export function rowsOf(values: readonly number[], width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, row) =>
    values.slice(row * width, (row + 1) * width),
  );
}
