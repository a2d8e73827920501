import { random, type Rollout } from "@envs/core";

import { testRollout } from "../runs.ts";

/** A run that pretends to reproduce another one, and what the hub answers. */
export interface RepeatLie {
  readonly name: string;
  /** The user who pushes the repeat: the user of the first run, a user who may publish the package, any other user, or a user who may publish it later. */
  readonly by: "first" | "publisher" | "stranger" | "later-publisher";
  /** The rollouts that the liar pushes. */
  readonly repeat: (first: readonly Rollout[]) => readonly Rollout[];
  readonly sampling?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the first run was declared. The repeat never is. */
  readonly isFirstDeclared?: boolean;
  /** What the page of the first run says about the repeat. */
  readonly answer: string;
}

/** The number of examples of a {@link sampledRollouts}. */
export const sampledExamples = 20;

interface Sample {
  readonly seed: string;
  readonly mean?: number;
  readonly count?: number;
  /** The number of replies that the model chooses from. */
  readonly vocabulary?: number;
}

/** Two rollouts of each example by a model whose reward is 1 with probability `mean`. */
export function sampledRollouts({
  seed,
  mean = 0.4,
  count = sampledExamples,
  vocabulary = 2 ** 31,
}: Sample): readonly Rollout[] {
  const draws = random("repeats", seed);
  return Array.from({ length: count * 2 }, (_, index) =>
    testRollout({
      example: Math.floor(index / 2),
      rollout: index % 2,
      scores: { win: Number(draws.next() < mean) },
      reply: `move ${draws.int(vocabulary)}`,
    }),
  );
}

/** Exchanges the two rollouts of each example, and adds spaces to their replies. */
function disguised(rollouts: readonly Rollout[]): readonly Rollout[] {
  return rollouts.map(({ exampleIndex: example, rolloutIndex: rollout }, index) => {
    const other = rollouts[index + 1 - 2 * (index % 2)]!;
    const reply = `${other.trajectory[0]?.message.content}  `;
    const scores = other.status === "scored" ? other.scores : {};
    return testRollout({ example, rollout, scores, reply });
  });
}

function failed({ exampleIndex: example, rolloutIndex: rollout }: Rollout): Rollout {
  return testRollout({ example, rollout, error: "model" });
}

const fresh = (): readonly Rollout[] => sampledRollouts({ seed: "another" });

/** What a liar pushes as a repeat, and what the hub answers. */
export const repeatLies: readonly RepeatLie[] = [
  {
    name: "the same user repeats the run",
    by: "first",
    repeat: fresh,
    answer: "the same user pushed both runs",
  },
  {
    name: "the same user pushes the same replies",
    by: "first",
    repeat: (rollouts) => rollouts,
    answer: "the same user pushed both runs",
  },
  {
    name: "a user who may publish the package repeats the run",
    by: "publisher",
    repeat: fresh,
    answer: "its user may publish the package",
  },
  {
    name: "a user repeats the run, and then gets the right to publish the package",
    by: "later-publisher",
    repeat: fresh,
    answer: "its user may publish the package",
  },
  {
    name: "another user pushes the same replies",
    by: "stranger",
    repeat: (rollouts) => rollouts,
    answer: "its replies are those of an earlier run",
  },
  {
    name: "another user pushes the same replies with more spaces, in another order",
    by: "stranger",
    repeat: disguised,
    answer: "its replies are those of an earlier run",
  },
  {
    name: "a third of the replies are copies",
    by: "stranger",
    repeat: (rollouts) =>
      fresh().map((rollout, index) => (index % 3 === 0 ? rollouts[index]! : rollout)),
    answer: "its replies are those of an earlier run",
  },
  {
    name: "the first run was declared, and the repeat was not",
    by: "stranger",
    repeat: fresh,
    isFirstDeclared: true,
    answer: "the first run was declared, and this one was not",
  },
  {
    name: "the sampling differs",
    by: "stranger",
    repeat: fresh,
    sampling: { temperature: 0 },
    answer: "its recipe differs",
  },
  {
    name: "half of the examples are missing",
    by: "stranger",
    repeat: () => sampledRollouts({ seed: "another", count: sampledExamples / 2 }),
    answer: "its recipe differs",
  },
  {
    name: "most rollouts failed",
    by: "stranger",
    repeat: () => fresh().map((rollout, index) => (index < 30 ? failed(rollout) : rollout)),
    answer: "it has fewer scored rollouts",
  },
  {
    name: "the rewards are higher",
    by: "stranger",
    repeat: () => sampledRollouts({ seed: "another", mean: 0.95 }),
    answer: "the intervals do not overlap",
  },
];
