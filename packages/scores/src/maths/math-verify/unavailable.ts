import { ConfigError, RolloutError } from "@envs/core";

/** Math-Verify where it cannot run: both functions throw this message. */
export function unavailable(message: string): {
  readonly checkMathVerify: () => never;
  readonly mathVerify: () => never;
} {
  return {
    checkMathVerify: () => {
      throw new ConfigError(message);
    },
    mathVerify: () => {
      throw new RolloutError("score", message, { isFatal: true });
    },
  };
}
