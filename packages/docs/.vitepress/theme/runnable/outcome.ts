/** The program and the reply that the sandbox plays. */
export interface ExampleInput {
  readonly code: string;
  readonly reply: string;
}

/** One score of the reply. A metric has weight 0. */
export interface ScoreRow {
  readonly name: string;
  readonly weight: number;
  readonly value: number | null;
}

/** The answer of the sandbox: the scores of the reply, or why it has no scores. */
export type Outcome =
  | {
      readonly question: string;
      readonly reward: number;
      readonly scores: readonly ScoreRow[];
    }
  | { readonly problem: string };
