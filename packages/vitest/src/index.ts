// Define
export { describeEnvironment } from "./describe-environment.ts";
export type { DescribeOptions } from "./options.ts";
export type { TokenPrice } from "@envs/models/prices";
export type { Budget } from "./budget.ts";
export type { Gate } from "./gate.ts";

// Normalise recorded requests
export { normaliseDates, normaliseIds, normalisePaths } from "./cassettes/normalise.ts";
export type { Normaliser } from "./cassettes/normalise.ts";

// Read
export { outcomeOf } from "./outcome.ts";
export type { Estimate, ExampleOutcome, Outcome, Verdict } from "./outcome.ts";
