import type { ClassStatement, Expression, FunctionStatement, Statement } from "../python/syntax.ts";
import type { File } from "../translate/scope.ts";
import { walk } from "../translate/walk.ts";
import { classOf, resolve, superArguments } from "./resolve.ts";

export type Call = Expression & { readonly kind: "call" };

/** The environment that `load_environment` returns. */
export interface PythonEnvironment {
  readonly load: FunctionStatement;
  /** The class of verifiers, such as `SingleTurnEnv`. */
  readonly base: string;
  /** The package's own class, if it has one. */
  readonly ownClass: ClassStatement | undefined;
  readonly call: Call;
  /** The options of the environment by name, also those that the own class passes to `super().__init__`. */
  readonly options: ReadonlyMap<string, Expression>;
}

/** The module and the function `load_environment`. */
export function findLoad(
  files: ReadonlyMap<string, File>,
): { readonly file: File; readonly load: FunctionStatement } | undefined {
  for (const file of files.values()) {
    const meaning = file.names.get("load_environment");
    if (meaning?.kind === "function") return { file, load: meaning.statement };
  }
  return undefined;
}

/** Finds the call of an environment's class; the reason if it finds no call. */
export function findEnvironment(file: File, load: FunctionStatement): PythonEnvironment | string {
  const returns: Expression[] = [];
  walk(load.body, (node) => {
    if (node.kind === "function" || node.kind === "class" || node.kind === "lambda") return false;
    if (node.kind === "return" && node.value !== undefined) returns.push(node.value);
    return true;
  });
  for (const value of returns.toReversed()) {
    const call = resolve(load.body, value);
    if (call.kind !== "call") continue;
    const found = classOf(file, load.body, call.callee);
    if (found === undefined) continue;
    const options = new Map<string, Expression>();
    for (const [name, option] of superOptions(found.ownClass, call)) options.set(name, option);
    for (const { name, value: option } of call.args)
      if (name !== undefined) options.set(name, option);
    return { load, call, options, ...found };
  }
  return "load_environment() returns no environment whose class could be found";
}

/** What `__init__` passes to `super().__init__`. A parameter stands for what the call passes. */
function superOptions(
  ownClass: ClassStatement | undefined,
  call: Call,
): readonly (readonly [string, Expression])[] {
  const init = ownClass?.body.find(
    (member): member is Statement & FunctionStatement =>
      member.kind === "function" && member.name === "__init__",
  );
  if (init === undefined) return [];
  const args = superArguments(init);
  const parameters = init.parameters.slice(1);
  return args.flatMap(({ name, value }): (readonly [string, Expression])[] => {
    if (name === undefined) return [];
    const resolved = resolve(init.body, value);
    if (resolved.kind === "name") {
      const at = parameters.findIndex((parameter) => parameter.name === resolved.name);
      const passed =
        call.args.find((argument) => argument.name === resolved.name) ??
        call.args.filter((argument) => argument.name === undefined)[at];
      if (passed !== undefined) return [[name, passed.value]];
      const otherwise = parameters[at]?.value;
      if (otherwise !== undefined) return [[name, otherwise]];
    }
    return [[name, resolved]];
  });
}
