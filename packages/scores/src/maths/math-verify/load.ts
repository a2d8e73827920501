import type * as MathVerify from "./math-verify.ts";
import { unavailable } from "./unavailable.ts";

const problem =
  "Math-Verify runs in @envs/sandbox, which is not installed. It compares answers that are not exactly equal. Add that package to this project, then run `envs sandbox maths`.";

/** Math-Verify of this platform. Without `@envs/sandbox`, an optional peer dependency, its functions throw how to install it. */
export async function loadMathVerify(): Promise<
  Pick<typeof MathVerify, "checkMathVerify" | "mathVerify">
> {
  try {
    return await import("#math-verify");
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    return unavailable(problem);
  }
}
