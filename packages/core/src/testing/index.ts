// For the tests of environments
export { checkEnvironment, checkReport } from "./check-environment.ts";
export type { CheckOptions, CheckResult } from "./check-environment.ts";

// Test models
export { faultNames } from "./faults.ts";
export type { FaultCondition, FaultName, Faults } from "./faults.ts";
export { modelServer } from "./model-server.ts";
export type { ModelServer, ModelServerOptions } from "./model-server.ts";
export { policyAnswer } from "./policy-answer.ts";
export type { PolicyAnswerOptions } from "./policy-answer.ts";
export { scriptedModel } from "./scripted-model.ts";
export type { Reply, ReplyFunction, ScriptedReply } from "./scripted-model.ts";
