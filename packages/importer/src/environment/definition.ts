import type { Block, Expression, Parameter, Statement } from "../python/syntax.ts";
import { identifier } from "../translate/identifier.ts";
import { parameterType } from "../translate/parameter-type.ts";
import { type File, Scope } from "../translate/scope.ts";
import { namesIn } from "../translate/walk.ts";
import { none } from "./attempt.ts";
import type { Bindings } from "./callback.ts";
import { datasetCode } from "./dataset-code.ts";
import type { PythonEnvironment } from "./find-environment.ts";
import { interaction } from "./interaction.ts";
import { translateParts } from "./parts.ts";
import { policyCode } from "./policy-code.ts";
import { classOf } from "./resolve.ts";
import { isJudged, rubricCode } from "./rubric-code.ts";
import { findScores, type PythonScore } from "./rubric.ts";
import { docstring, summaryOf } from "./schema.ts";
import { configCode, settings } from "./settings.ts";
import { slice } from "./slice.ts";
import { findTools } from "./tools.ts";

/** The definition as code, and what the package needs for it. */
export interface Definition {
  /** What stands before the definition. */
  readonly head: string;
  readonly code: string;
  readonly scores: readonly string[];
  readonly needsJudge: boolean;
  readonly tools: readonly string[];
  readonly hasAnswer: boolean;
}

/** Writes `defineEnvironment` for what `load_environment` returns. */
export function define(
  file: File,
  found: PythonEnvironment,
  { name, description }: { readonly name: string; readonly description: string },
): Definition {
  const { load, options, ownClass, base } = found;
  const body = load.body.map((statement) => withoutClient(file, load.body, statement));
  const place = { file, body };
  const parameters = new Map(
    load.parameters
      .filter(({ star }) => star === "")
      .map((parameter) => [parameter.name, parameter]),
  );
  const scores = findScores(place, options.get("rubric"));
  const instance = ownClass === undefined ? undefined : instanceOf(found);
  const tools = findTools(file, body, options.get("tools"), ownClass);
  const wanted = wantedNames(
    found,
    scores,
    Array.isArray(tools) ? tools.flatMap((tool) => (tool.isMethod ? [] : [tool.name])) : [],
  );
  const all: Block = instance === undefined ? body : [...body, instance];
  if (instance !== undefined)
    for (const own of ["environment", ...namesIn(instance)]) wanted.add(own);
  const rest = load.parameters.find(({ star }) => star === "**")?.name;
  const parts = translateParts(
    { file, body: withoutRubric(all, options), parameters, rest },
    wanted,
  );
  const bindings: Bindings = {
    parameters: new Set(parameters.keys()),
    configured: parts.configured,
    isAsync: parts.isAsync,
  };
  const { scope } = parts;
  for (const parameter of parameters.values())
    if (scope.typeOf(parameter.name) === undefined)
      scope.types.set(parameter.name, parameterType(parameter));
  const lines: string[] = [
    `name: ${JSON.stringify(name)},`,
    `description: ${JSON.stringify(description || summaryOf(docstring(load)) || `The environment ${name} of verifiers.`)},`,
  ];
  const configNames = usedParameters(found, parameters, parts, scores);
  if (configNames.length > 0)
    lines.push(configCode(new Scope(file, undefined, "config"), configNames, docstring(load)));
  lines.push(...settings(scope, bindings, options, base));
  lines.push(datasetCode(file, found, bindings, parts));
  const judged = scores.filter((score) => isJudged(place, score));
  const rubric = rubricCode({ scope, bindings, scores, judged, parser: options.get("parser") });
  const needsState = ownClass !== undefined || judged.length > 0 || rubric.includes("stateOf(");
  lines.push(...interaction({ scope, bindings, base, ownClass, tools, load, needsState }), rubric);
  const gold = policyCode(scope, bindings, options.get("parser"), found);
  if (gold !== undefined) lines.push(gold);
  return {
    head: parts.code,
    code: `export default defineEnvironment({\n${lines.join("\n\n")}\n});`,
    scores: scores.map((score) => score.name),
    needsJudge: judged.length > 0,
    tools: Array.isArray(tools) ? tools.map((tool) => tool.name) : [],
    hasAnswer: true,
  };
}

/** `environment = OwnClass(…)` without its dataset and rubric, which the definition has. */
function instanceOf({ call }: PythonEnvironment): Statement {
  const args = call.args
    .filter(({ star }) => star === "")
    .map((argument) =>
      ["dataset", "eval_dataset", "rubric", "train_dataset"].includes(argument.name ?? "")
        ? Object.assign({}, argument, { value: none })
        : argument,
    );
  const target: Expression = { kind: "name", name: "environment", from: call.from, to: call.to };
  return {
    kind: "assign",
    targets: [target],
    type: undefined,
    value: { ...call, args },
    from: call.from,
    to: call.to,
  };
}

/** A judge without its client and model, which the run passes: nothing else needs them. */
function withoutClient(file: File, body: Block, statement: Statement): Statement {
  if (statement.kind !== "assign" || statement.value?.kind !== "call") return statement;
  const { value } = statement;
  if (!/Judge/.test(classOf(file, body, value.callee)?.base ?? "")) return statement;
  const args = value.args.filter(
    ({ name }) => !/^judge_(?:client|model|sampling_args)$/.test(name ?? ""),
  );
  return { ...statement, value: { ...value, args } };
}

/** The statements without those that only fill the rubric or the environment. */
function withoutRubric(body: Block, options: ReadonlyMap<string, Expression>): Block {
  const rubric = options.get("rubric");
  const names = new Set(rubric?.kind === "name" ? [rubric.name] : []);
  return body.filter((statement) => {
    if (
      statement.kind !== "expression" ||
      statement.value.kind !== "call" ||
      statement.value.callee.kind !== "attribute"
    )
      return true;
    const { object } = statement.value.callee;
    return !(
      object.kind === "name" &&
      names.has(object.name) &&
      /^add_|class_objects/.test(statement.value.callee.name)
    );
  });
}

function wantedNames(
  { options }: PythonEnvironment,
  scores: readonly PythonScore[],
  tools: readonly string[],
): Set<string> {
  const wanted = new Set<string>(tools);
  const expressions: (Expression | null | undefined)[] = [
    options.get("parser"),
    options.get("system_prompt"),
    options.get("few_shot"),
    options.get("max_turns"),
  ];
  for (const { target, parser, judge, weight } of scores) {
    expressions.push(parser, judge, weight);
    if (target.kind === "format" || target.kind === "maths") expressions.push(target.parser);
    else if (target.kind !== "unknown") expressions.push(target.value);
  }
  for (const expression of expressions)
    for (const name of namesIn(expression ?? [])) wanted.add(name);
  return wanted;
}

/** The parameters that the translation uses: the others set up clients and caches that the engine has. */
function usedParameters(
  { load, options }: PythonEnvironment,
  parameters: ReadonlyMap<string, Parameter>,
  { code }: { readonly code: string },
  scores: readonly PythonScore[],
): readonly Parameter[] {
  const used = new Set([
    ...namesIn([...options.values()]),
    ...namesIn(
      scores.map(({ target, weight }) => ("value" in target ? [target.value, weight] : [weight])),
    ),
  ]);
  for (const name of datasetNames(options, load.body)) used.add(name);
  return [...parameters.values()].filter(
    ({ name }) => used.has(name) || new RegExp(`\\b${identifier(name)}\\b`).test(code),
  );
}

function datasetNames(options: ReadonlyMap<string, Expression>, body: Block): ReadonlySet<string> {
  const sources = ["dataset", "eval_dataset"].flatMap((name) => options.get(name) ?? []);
  return namesIn(slice(body, [...namesIn(sources)]));
}
