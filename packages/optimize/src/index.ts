// Optimize
export { optimize } from "./optimize.ts";
export type { OptimizeEvent, OptimizeOptions, OptimizeResult } from "./options.ts";
export type { Candidate } from "./candidate.ts";
export type { TokenPrice } from "@envs/models/prices";
export type { OptimizeBudget } from "./spending.ts";
export type { Journal } from "./journal.ts";

// Apply the result
export { promptsOf, withPrompts } from "./prompts.ts";
export type { Prompts } from "./prompts.ts";

// Report it
export { reportMarkdown } from "./report.ts";
