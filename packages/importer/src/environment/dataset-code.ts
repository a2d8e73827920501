import type { Block, Expression } from "../python/syntax.ts";
import { translate } from "../translate/expression.ts";
import { identifier } from "../translate/identifier.ts";
import { parameterType } from "../translate/parameter-type.ts";
import { type File, Scope } from "../translate/scope.ts";
import { translateBody } from "../translate/statement.ts";
import { boundNames, namesIn } from "../translate/walk.ts";
import { attempt } from "./attempt.ts";
import { bind, type Bindings } from "./callback.ts";
import type { PythonEnvironment } from "./find-environment.ts";
import { resolve } from "./resolve.ts";
import { slice } from "./slice.ts";

export function datasetCode(
  file: File,
  { load, options }: PythonEnvironment,
  bindings: Bindings,
  parts: { readonly scope: Scope },
): string {
  const sources = (["dataset", "eval_dataset"] as const).flatMap((option) => {
    const value = options.get(option);
    return value === undefined || (value.kind === "constant" && value.value === null)
      ? []
      : [{ option, value }];
  });
  const scope = new Scope(file, parts.scope, "dataset");
  for (const { name, ...parameter } of load.parameters)
    scope.types.set(
      name,
      boundNames(load.body).has(name) ? "any" : parameterType({ name, ...parameter }),
    );
  const names = sources.flatMap(({ value }) => [...namesIn(value)]);
  const statements = slice(load.body, names);
  const bound = boundNames(statements);
  for (const name of bound) if (!bindings.parameters.has(name)) scope.types.delete(name);
  const used = new Set(namesIn([...statements, ...sources.map(({ value }) => value)]));
  for (const name of bindings.parameters) if (bound.has(name)) scope.declared.add(name);
  const rest = load.parameters.find(({ star }) => star === "**");
  if (rest !== undefined) scope.types.set(rest.name, "dict");
  const code = translateBody(scope, statements, new Set(names));
  const splits = sources.map(({ option, value }) => {
    const isLoader = isCallable(file, load.body, value);
    const expression: Expression = isLoader
      ? { kind: "call", callee: value, args: [], from: value.from, to: value.to }
      : value;
    const rows = attempt(scope, value, () => translate(scope, expression).code);
    return {
      split: option === "dataset" ? "train" : "eval",
      rows: `${scope.use("examples")}(${rows})`,
    };
  });
  const parameter = [...used].some((name) => bindings.parameters.has(name));
  const lines = bind(
    { parameters: bindings.parameters, configured: new Set(), isAsync: false },
    used,
    "config",
  ).replace(/^const/, [...bindings.parameters].some((name) => bound.has(name)) ? "let" : "const");
  const others =
    rest !== undefined && used.has(rest.name) ? `const ${identifier(rest.name)}: any = {};` : "";
  if (splits.length === 0) {
    const call = scope.todo(load, "the environment has no dataset that could be found");
    return `dataset: () => ({ train: ${scope.use("examples")}(${call}) }),`;
  }
  const result = `{ ${splits.map(({ split, rows }) => `${split}: ${rows}`).join(", ")} }`;
  return `${scope.usesAwait ? "async " : ""}dataset(${parameter ? "{ config }" : ""}) {\n${lines}\n${others}\n${code}\nreturn ${result};\n},`;
}

/** Whether a dataset is given by a function that creates it. */
function isCallable(file: File, body: Block, value: Expression): boolean {
  if (value.kind === "lambda") return true;
  if (value.kind !== "name") return false;
  const resolved = resolve(body, value);
  if (resolved.kind === "lambda") return true;
  if (resolved.kind !== "name") return false;
  const meaning = file.names.get(resolved.name);
  const isLocal = body.some(
    (statement) => statement.kind === "function" && statement.name === resolved.name,
  );
  return (
    isLocal ||
    (meaning?.kind === "own" &&
      file.files.get(meaning.file)?.names.get(meaning.name)?.kind === "function") ||
    meaning?.kind === "function"
  );
}
