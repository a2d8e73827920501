export { faultNames } from "./faults.ts";
export type { FaultCondition, FaultName, Faults } from "./faults.ts";
export { modelServer } from "./model-server.ts";
export type { ModelServer, ModelServerOptions } from "./model-server.ts";
export { policyAnswer } from "./policy-answer.ts";
export type { PolicyAnswerOptions } from "./policy-answer.ts";
