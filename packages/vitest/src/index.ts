// Define
export { describeEnvironment } from "./describe-environment.ts";
export type { DescribeOptions } from "./options.ts";
export type { TokenPrice } from "@envs/models/prices";
export type { Budget } from "./budget.ts";
export type { Gate } from "./gate.ts";

// Read
export { outcomeOf } from "./outcome.ts";
export type { Estimate, ExampleOutcome, Outcome, Verdict } from "./outcome.ts";
