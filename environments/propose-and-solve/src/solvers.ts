/** The seats that solve a task. Each replies once, without seeing the others. */
export const solvers = ["solver1", "solver2", "solver3", "solver4"] as const;
export type Solver = (typeof solvers)[number];

/** The value of a task for its proposer: highest if half of the attempts are right, 0 if all or none are. */
export function usefulness(shareOfRight: number): number {
  return 1 - Math.abs(2 * shareOfRight - 1);
}
