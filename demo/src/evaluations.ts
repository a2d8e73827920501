/** An evaluation as arguments of `envs eval`, without the model. */
export type Evaluation = readonly [environment: string, ...options: string[]];

/** The evaluations that a language model plays. `replies.jsonl` holds its replies. */
export const recordedModel = "SmolLM2-135M-Instruct";

export const recordedEvaluations: readonly Evaluation[] = [
  ["tictactoe", ..."-n 5 -r 2 --max-turns 4 --max-tokens 48 --temperature 0.7".split(" ")],
  ["double-check", ..."-n 10 -r 2 --max-level 2 --max-tokens 96 --temperature 0.7".split(" ")],
  ["reverse-text", ..."-n 10 -r 2 --max-length 40 --max-tokens 64 --temperature 0.7".split(" ")],
];

/** The evaluations that policies and tiny models play. */
export const evaluations: readonly (readonly [model: string, ...Evaluation])[] = [
  ...["policy:optimal", "policy:random", "tiny:base", "tiny:tictactoe"].map(
    (model) => [model, "tictactoe", "-n", "20", "-r", "2"] as const,
  ),
  ...["policy:solver", "policy:wavering"].map(
    (model) => [model, "double-check", "-n", "10", "-r", "2", "--max-level", "2"] as const,
  ),
  ...["policy:perfect", "policy:echo"].map(
    (model) => [model, "reverse-text", "-n", "10", "-r", "2", "--max-length", "40"] as const,
  ),
];

/** The policies that play both versions of the demo's own environment; the versions rank them differently. */
export const sumsPolicies = ["adder", "one-off", "often-right"] as const;
