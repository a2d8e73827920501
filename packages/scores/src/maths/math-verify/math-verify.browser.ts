import { unavailable } from "./unavailable.ts";

const missing = unavailable(
  "Only Node runs Math-Verify, which compares answers that are not exactly equal.",
);

export const checkMathVerify: () => never = missing.checkMathVerify;
export const mathVerify: () => never = missing.mathVerify;
