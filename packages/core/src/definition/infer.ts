import type { Environment } from "./environment.ts";

/** The example type of an environment or its factory. */
export type InferExample<From> = InferTypes<From>["example"];
/** The state type of an environment or its factory. */
export type InferState<From> = InferTypes<From>["state"];
/** The names of the scores and metrics of an environment or its factory. */
export type InferScoreName<From> = InferTypes<From>["score"];
/** The names of the seats of an environment or its factory; `never` without `seats`. */
export type InferSeat<From> = InferTypes<From>["seat"];

type InferTypes<From> = From extends (...config: never[]) => infer Made
  ? InferTypes<Made>
  : From extends Environment<infer E, infer S, infer N, infer Seat>
    ? { example: E; state: S; score: N; seat: Seat }
    : never;
