import { parseJson } from "@envs/records";

/** The numbers that a grader wrote, by name. */
export type Rewards = Readonly<Record<string, number>>;

/** The content of the grader's files; `undefined` for a file that it did not write. */
export interface RewardFiles {
  readonly json: string | undefined;
  readonly text: string | undefined;
}

/** Reads `reward.json`, else `reward.txt`. Throws if both are missing or one is invalid, which is never a reward of 0. */
export function readRewards({ json, text }: RewardFiles): Rewards {
  if (json !== undefined) return jsonRewards(json);
  if (text === undefined)
    throw new Error("The grader wrote neither /logs/verifier/reward.json nor reward.txt.");
  const number = text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(number))
    throw new Error(
      `The grader wrote ${shown(text)} into reward.txt, which is not a finite number.`,
    );
  return { reward: number };
}

function jsonRewards(json: string): Rewards {
  let value: unknown;
  try {
    value = parseJson(json);
  } catch {
    throw new Error(`The grader wrote ${shown(json)} into reward.json, which is not JSON.`);
  }
  if (typeof value === "number") value = { reward: value };
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (
    entries.length === 0 ||
    Array.isArray(value) ||
    !entries.every(([, number]) => Number.isFinite(number))
  )
    throw new Error(
      `The grader wrote ${shown(json)} into reward.json. It must be an object of finite numbers.`,
    );
  return Object.fromEntries(entries) as Rewards;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The rewards of a task with steps: those of the last, or the means by name, in which a step without the name counts as 0. */
export function combineRewards(steps: readonly Rewards[], strategy: "mean" | "final"): Rewards {
  const last = steps.at(-1) ?? {};
  if (strategy === "final" || steps.length === 1) return last;
  const names = new Set(steps.flatMap((rewards) => Object.keys(rewards)));
  return Object.fromEntries(
    Array.from(names, (name) => [
      name,
      steps.reduce((sum, rewards) => sum + (rewards[name] ?? 0), 0) / steps.length,
    ]),
  );
}

/** Whether a step earned enough for the next one to begin. */
export function reaches(rewards: Rewards, minimum: number | Rewards | undefined): boolean {
  if (minimum === undefined) return true;
  const gates = typeof minimum === "number" ? { reward: minimum } : minimum;
  return Object.entries(gates).every(([name, least]) => (rewards[name] ?? -Infinity) >= least);
}
