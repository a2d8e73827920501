import { isDeepStrictEqual } from "node:util";

import { ConfigError } from "@envs/core";

import {
  defaultLimits,
  type HostFunction,
  type Json,
  type Limits,
  type SandboxProvider,
} from "../sandbox.ts";
import { callFunction, type CodeFunction, isSuccess } from "./call-function.ts";

/** A call of a function, and the value that it must return. */
export interface CallTest {
  readonly args: readonly Json[];
  readonly expected: Json;
}

/** A function that a model wrote, and its tests. */
export interface GradeCodeOptions extends CodeFunction {
  /** Calls; or a Python program that calls the function as `candidate`, and passes if it ends without an exception. */
  readonly tests: readonly CallTest[] | string;
  /** The limits of each sandbox. Default: those of sandboxes, with values of 4 MiB. */
  readonly limits?: Partial<Limits> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which tests code passes. */
export interface CodeGrade {
  /** Whether each call returned the expected value; for a program, one entry. */
  readonly passed: readonly boolean[];
  /** The errors of a program and of the code that it called, for people. */
  readonly feedback: string;
}

/**
 * Tests code that a model wrote. Exceptions of the code reach a program of tests as `HostError`. The code runs alone in a new sandbox, which neither tests nor expected values enter. Its results
 * leave as data, which this process or a second sandbox compares, so the code cannot redefine a comparison.
 */
export async function gradeCode(
  provider: SandboxProvider,
  { tests, limits, ...options }: GradeCodeOptions,
): Promise<CodeGrade> {
  const all = { output: 4 * 1024 ** 2, ...limits };
  if (typeof tests === "string")
    return await runTests(provider, { ...options, tests, limits: all });
  await using sandbox = await provider.create({ limits: all, signal: options.signal });
  const called = { ...options, language: provider.traits.language };
  const values = await callFunction(
    sandbox,
    called,
    tests.map(({ args }) => args),
  );
  const passed = tests.map(({ expected }, index) => {
    const value = values[index];
    return value !== undefined && isDeepStrictEqual(JSON.parse(value), expected);
  });
  return { passed, feedback: "" };
}

/** Defines `candidate`. Values cross as Python literals, because JSON has neither tuples nor sets. */
const candidate = `
import ast as _ast, sys as _sys
_sys.set_int_max_str_digits(0)
class _Floats(_ast.NodeTransformer):
    def visit_Name(self, node):
        return _ast.Constant(float(node.id)) if node.id in ("inf", "nan") else node
def candidate(*values):
    tree = _ast.parse(call_candidate(repr(values)), mode="eval")
    return _ast.literal_eval(_Floats().visit(tree))
`;

async function runTests(
  provider: SandboxProvider,
  { code, name, tests, limits, signal }: GradeCodeOptions & { readonly tests: string },
): Promise<CodeGrade> {
  const { language, functions, persistent } = provider.traits;
  if (language !== "python" || !functions || !persistent)
    throw new ConfigError(
      `A program of tests cannot run in ${provider.name}: it needs Python that keeps variables and calls functions of the host. Use python().`,
    );
  await using own = await provider.create({ limits, signal });
  await own.run("import sys; sys.set_int_max_str_digits(0)");
  const definition = await own.run(code);
  if (!isSuccess(definition)) return { passed: [false], feedback: definition.stderr };
  const maxTime = 10 * (limits?.ms ?? defaultLimits.ms) + 20_000;
  const end = performance.now() + maxTime;
  let hasEnded = false;
  const call_candidate: HostFunction = async (args) => {
    if (hasEnded || performance.now() > end) throw new Error("The code takes too long.");
    const floats = `{"inf": float("inf"), "nan": float("nan")}`;
    const call = `repr(${name}(*eval(${JSON.stringify(args)}, ${floats})))`;
    const result = await own.run(call);
    if (isSuccess(result) && typeof result.value === "string") return result.value;
    // The process may have ended, so later calls would only wait for another limit.
    hasEnded = result.timedOut || result.reset;
    throw new Error(result.stderr.slice(-1000) || "The value is not a literal of Python.");
  };
  await using grader = await provider.create({ limits, signal, functions: { call_candidate } });
  const result = await grader.run(`${candidate}\n${tests}`);
  return { passed: [isSuccess(result)], feedback: result.stderr };
}
