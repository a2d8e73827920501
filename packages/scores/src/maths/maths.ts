export { sameMath } from "./same-math.ts";
export type { SameMathOptions } from "./same-math.ts";
export { requireMathVerify } from "./require-math-verify.ts";
