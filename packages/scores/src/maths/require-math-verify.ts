import { loadMathVerify } from "./math-verify/load.ts";

/**
 * Throws a `ConfigError` that explains how to install Math-Verify, unless this machine has it. An environment that compares
 * mathematics calls it before its first example, so that no reply is paid for that cannot be scored.
 */
export async function requireMathVerify(): Promise<void> {
  const { checkMathVerify } = await loadMathVerify();
  checkMathVerify();
}
