import type { Block, Expression, FunctionStatement, Statement } from "../python/syntax.ts";
import { pathOf, verifiersName } from "../translate/path.ts";
import { Scope } from "../translate/scope.ts";
import { walk } from "../translate/walk.ts";
import type { Call } from "./find-environment.ts";
import { classOf, resolve, superArguments } from "./resolve.ts";
import { functionOf, type ScoringBody } from "./scoring-body.ts";

/** A score of the original. */
export interface PythonScore {
  readonly name: string;
  /** `undefined`: 1. */
  readonly weight: Expression | undefined;
  readonly isMetric: boolean;
  /** The function that scores; `format` and `maths` are those of verifiers. */
  readonly target:
    | {
        readonly kind: "function";
        readonly value: Expression;
        readonly statement: FunctionStatement | undefined;
      }
    | { readonly kind: "lambda"; readonly value: Expression & { kind: "lambda" } }
    | { readonly kind: "format"; readonly parser: Expression }
    | { readonly kind: "maths"; readonly parser: Expression | undefined }
    | { readonly kind: "unknown"; readonly value: Expression; readonly reason: string };
  /** The expression of the parser that the rubric has. */
  readonly parser: Expression | undefined;
  /** The prompt of its `JudgeRubric`; `null` for the default prompt. */
  readonly judge: Expression | null | undefined;
}

/** The scores of a rubric and of those it groups, with those that later statements add. */
export function findScores(
  scoring: ScoringBody,
  rubric: Expression | undefined,
): readonly PythonScore[] {
  if (rubric === undefined) return [];
  const call = resolve(scoring.body, rubric);
  if (call.kind !== "call")
    return [unknown(call, "the rubric is not created in load_environment()")];
  const found = classOf(scoring.file, scoring.body, call.callee);
  const names = rubric.kind === "name" ? namesOf(scoring.body, rubric.name) : [];
  if (found === undefined) return [unknown(call, "the class of the rubric is not known")];
  const named = (wanted: string) => call.args.find(({ name }) => name === wanted)?.value;
  const positional = call.args.filter(({ name }) => name === undefined).map(({ value }) => value);
  if (found.base === "RubricGroup") {
    const list = resolve(scoring.body, named("rubrics") ?? positional[0] ?? call);
    if (list.kind === "list") return list.items.flatMap((item) => findScores(scoring, item));
    return [unknown(call, "the rubrics of RubricGroup are not a list")];
  }
  const shared = {
    parser: named("parser"),
    judge: /Judge/.test(found.base) ? (named("judge_prompt") ?? null) : undefined,
  };
  if (found.ownClass !== undefined)
    return [
      ...ownScores(scoring, rubric, found.ownClass.body, shared),
      ...added(scoring, names, shared),
    ];
  const funcs = resolve(scoring.body, named("funcs") ?? positional[0] ?? call);
  const weights = resolve(scoring.body, named("weights") ?? positional[1] ?? call);
  const functions = funcs.kind === "list" ? funcs.items : [];
  const scores = functions.map((value, at) =>
    scoreOf(scoring, value, {
      weight: weights.kind === "list" ? weights.items[at] : undefined,
      isMetric: false,
      ...shared,
    }),
  );
  if (found.base === "MathRubric" || found.base === "HybridMathRubric")
    scores.unshift({
      name: "correct_answer",
      weight: undefined,
      isMetric: false,
      target: { kind: "maths", parser: shared.parser },
      ...shared,
    });
  if (funcs !== call && funcs.kind !== "list")
    scores.push(unknown(funcs, "the functions of the rubric are not a list"));
  return [...scores, ...added(scoring, names, shared)];
}

/** A name and its aliases. */
function namesOf(body: Block, name: string): readonly string[] {
  const names = [name];
  walk(body, (node) => {
    if (node.kind === "assign" && node.value?.kind === "name" && node.value.name === name)
      for (const target of node.targets) if (target.kind === "name") names.push(target.name);
  });
  return names;
}

type Shared = Pick<PythonScore, "parser" | "judge">;

/** Scores of `rubric.add_reward_func(function, weight=…)`. */
function added(
  scoring: ScoringBody,
  names: readonly string[],
  shared: Shared,
): readonly PythonScore[] {
  const scores: PythonScore[] = [];
  walk(scoring.body, (node) => {
    if (node.kind === "function" || node.kind === "class") return false;
    const score = node.kind === "call" ? addedScore(scoring, node, shared) : undefined;
    if (
      node.kind === "call" &&
      node.callee.kind === "attribute" &&
      node.callee.object.kind === "name" &&
      names.includes(node.callee.object.name) &&
      score !== undefined
    )
      scores.push(score);
    return true;
  });
  return scores;
}

function addedScore(scoring: ScoringBody, call: Call, shared: Shared): PythonScore | undefined {
  if (call.callee.kind !== "attribute" || !/^add_(?:reward_func|metric)$/.test(call.callee.name))
    return undefined;
  const isMetric = call.callee.name === "add_metric";
  const value = call.args.find(({ name }) => name === undefined || name === "func")?.value;
  const weight = call.args.find(
    ({ name }, at) => name === "weight" || (name === undefined && at === 1),
  )?.value;
  return value === undefined ? undefined : scoreOf(scoring, value, { weight, isMetric, ...shared });
}

/** The scores that a rubric's own class adds: its methods. */
function ownScores(
  scoring: ScoringBody,
  rubric: Expression,
  body: Block,
  shared: Shared,
): readonly PythonScore[] {
  const init = body.find(
    (member): member is Statement & FunctionStatement =>
      member.kind === "function" && member.name === "__init__",
  );
  const methods = (value: Expression): PythonScore | undefined => {
    if (value.kind !== "attribute" || value.object.kind !== "name" || value.object.name !== "self")
      return undefined;
    const statement = body.find(
      (member): member is Statement & FunctionStatement =>
        member.kind === "function" && member.name === value.name,
    );
    if (statement === undefined) return undefined;
    const target: Expression = { ...value, object: rubric };
    const own = { ...statement, parameters: statement.parameters.slice(1) };
    return {
      name: value.name,
      weight: undefined,
      isMetric: false,
      target: { kind: "function", value: target, statement: own },
      ...shared,
    };
  };
  const scores: PythonScore[] = [];
  if (init !== undefined) {
    const args = superArguments(init);
    const funcs = resolve(
      init.body,
      args.find(({ name }, at) => name === "funcs" || (name === undefined && at === 0))?.value ?? {
        kind: "constant",
        value: null,
        from: 0,
        to: 0,
      },
    );
    const weights = resolve(init.body, args.find(({ name }) => name === "weights")?.value ?? funcs);
    if (funcs.kind === "list")
      for (const [at, item] of funcs.items.entries()) {
        const score =
          methods(item) ??
          scoreOf(scoring, item, { weight: undefined, isMetric: false, ...shared });
        scores.push({
          ...score,
          weight: weights !== funcs && weights.kind === "list" ? weights.items[at] : undefined,
        });
      }
    walk(init.body, (node) => {
      const score = node.kind === "call" ? addedScore(scoring, node, shared) : undefined;
      if (node.kind !== "call" || score === undefined) return;
      const method = node.args[0] === undefined ? undefined : methods(node.args[0].value);
      scores.push(
        method === undefined
          ? score
          : { ...method, weight: score.weight, isMetric: score.isMetric },
      );
    });
  }
  return scores.length > 0
    ? scores
    : [unknown(rubric, "the scores of the rubric's own class were not found")];
}

function unknown(value: Expression, reason: string): PythonScore {
  return {
    name: "reward",
    weight: undefined,
    isMetric: false,
    target: { kind: "unknown", value, reason },
    parser: undefined,
    judge: undefined,
  };
}

function scoreOf(
  scoring: ScoringBody,
  value: Expression,
  rest: Shared & Pick<PythonScore, "weight" | "isMetric">,
): PythonScore {
  if (value.kind === "lambda") return { name: "score", target: { kind: "lambda", value }, ...rest };
  const target = resolve(scoring.body, value);
  if (
    target.kind === "call" &&
    target.callee.kind === "attribute" &&
    target.callee.name === "get_format_reward_func"
  )
    return {
      name: "format_reward",
      target: { kind: "format", parser: target.callee.object },
      ...rest,
    };
  if (target.kind === "lambda")
    return {
      name: value.kind === "name" ? value.name : "score",
      target: { kind: "lambda", value: target },
      ...rest,
    };
  if (value.kind === "name") {
    const statement = functionOf(scoring, value.name);
    if (statement !== undefined)
      return { name: value.name, target: { kind: "function", value, statement }, ...rest };
  }
  const scope = new Scope(scoring.file, undefined, "");
  const foreign = verifiersName(pathOf(scope, value));
  const reason =
    foreign === undefined
      ? "the function of the score was not found"
      : `needs ${foreign} of verifiers`;
  const name = value.kind === "name" || value.kind === "attribute" ? value.name : "score";
  return { name, target: { kind: "unknown", value, reason }, ...rest };
}
