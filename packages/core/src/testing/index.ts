// For the tests of environments
export { checkEnvironment, checkReport } from "./check-environment.ts";
export type { CheckOptions, CheckResult } from "./check-environment.ts";

// Test models
export { scriptedModel } from "./scripted-model.ts";
export type { Reply, ReplyFunction, ScriptedReply } from "./scripted-model.ts";
