export { callFunction } from "./grade/call-function.ts";
export type { CodeFunction } from "./grade/call-function.ts";
export { gradeCode } from "./grade/grade-code.ts";
export type { CallTest, CodeGrade, GradeCodeOptions } from "./grade/grade-code.ts";
export { javascript } from "./javascript/javascript.ts";
export { defaultLimits } from "./sandbox.ts";
export type {
  HostFunction,
  Json,
  Limits,
  RunOptions,
  RunResult,
  Sandbox,
  SandboxOptions,
  SandboxProvider,
  SandboxTraits,
} from "./sandbox.ts";
export { nativePython } from "./python/native.ts";
export type { NativePythonOptions } from "./python/native.ts";
export { python } from "./python/python.ts";
export type { PythonOptions } from "./python/python.ts";
