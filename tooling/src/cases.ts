/**
 * How many of `all` cases a test checks: all of them in `pnpm test:slow`, which also runs every file that calls this
 * function, and a tenth in `pnpm test`.
 */
export function cases(all: number): number {
  return process.env["ENVS_ALL_CASES"] === "1" ? all : Math.ceil(all / 10);
}
