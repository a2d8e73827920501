/**
 * The chance that at least one of `k` attempts succeeds, estimated without bias from `n` attempts of which `correct`
 * succeeded: 1 − C(n − c, k) / C(n, k). Chen et al. 2021, "Evaluating Large Language Models Trained on Code".
 */
export function passAtK(n: number, correct: number, k: number): number {
  check(n, correct, k);
  if (n - correct < k) return 1;
  let miss = 1;
  for (let i = n - correct + 1; i <= n; i += 1) miss *= 1 - k / i;
  return 1 - miss;
}

/** The chance that all of `k` attempts succeed, estimated without bias: C(c, k) / C(n, k). Yao et al. 2024, "τ-bench". */
export function passHatK(n: number, correct: number, k: number): number {
  check(n, correct, k);
  if (correct < k) return 0;
  let all = 1;
  for (let i = 0; i < k; i += 1) all *= (correct - i) / (n - i);
  return all;
}

function check(n: number, correct: number, k: number): void {
  if (k >= 1 && k <= n && correct >= 0 && correct <= n) return;
  throw new RangeError(`${n} attempts with ${correct} correct say nothing about ${k} attempts.`);
}
