import type { Expression, Parameter } from "../python/syntax.ts";
import { translate } from "../translate/expression.ts";
import { parameterType } from "../translate/parameter-type.ts";
import { type Scope } from "../translate/scope.ts";
import { namesIn } from "../translate/walk.ts";
import { attempt } from "./attempt.ts";
import { bind, type Bindings } from "./callback.ts";
import type { PythonScore } from "./rubric.ts";

/** What the code of a score is made of. */
export interface ScoreParts {
  readonly scope: Scope;
  readonly bindings: Bindings;
  readonly score: PythonScore;
  /** The parser of the environment. */
  readonly parser: Expression | undefined;
  readonly isJudged: boolean;
  readonly isMetric: boolean;
}

/** The code of a score of the rubric. */
export function scoreCode(parts: ScoreParts): string {
  const { scope, bindings, score, isJudged, isMetric } = parts;
  const { weight } = score;
  const body = bodyOf(parts);
  const used = new Set<string>(body.names);
  const factor = weight === undefined || isMetric ? undefined : weightOf(scope, bindings, weight);
  if (factor?.isConfigured === true) for (const name of namesIn(weight!)) used.add(name);
  const scaled = factor?.isConfigured === true ? `(${body.code}) * ${factor.code}` : body.code;
  const setup = bind(bindings, used, "context.config");
  const parameter = /\bcontext\b/.test(`${setup} ${scaled}`) ? "context" : "";
  const prefix = /\bawait\b/.test(`${setup} ${scaled}`) ? "async " : "";
  const fn =
    setup === ""
      ? `${prefix}(${parameter}) => ${scaled}`
      : `${prefix}(${parameter}) => {\n${setup}\nreturn ${scaled};\n}`;
  const fields = [
    ...(factor !== undefined && !factor.isConfigured && factor.code !== "1"
      ? [`weight: ${factor.code},`]
      : []),
    ...(isJudged ? ['needs: ["judge"],'] : []),
  ];
  if (fields.length === 0) return fn;
  return `{\n${fields.join("\n")}\nscore: ${fn},\n}`;
}

function weightOf(scope: Scope, { parameters, configured }: Bindings, weight: Expression) {
  const isConfigured = [...namesIn(weight)].some(
    (name) => parameters.has(name) || configured.has(name),
  );
  return { isConfigured, code: attempt(scope, weight, () => translate(scope, weight).code) };
}

interface Body {
  readonly code: string;
  readonly names: ReadonlySet<string>;
}

function bodyOf(parts: ScoreParts): Body {
  const { scope, score, parser } = parts;
  const { target } = score;
  switch (target.kind) {
    case "format": {
      const code = attempt(scope, target.parser, () => translate(scope, target.parser).code);
      return { code: `${code}.formatScore(context.completion)`, names: namesIn(target.parser) };
    }
    case "maths": {
      scope.use("sameMath");
      const own = target.parser ?? parser;
      const answer =
        own === undefined
          ? `${scope.use("extractBoxedAnswer")}(context.reply, true)`
          : `py.str(${attempt(scope, own, () => translate(scope, own).code)}.parseAnswer(context.completion) ?? "")`;
      return {
        code: `sameMath(${answer}, py.str(context.example.answer), { signal: context.signal })`,
        names: namesIn(own ?? []),
      };
    }
    case "unknown":
      return { code: scope.todo(target.value, target.reason), names: new Set() };
    case "lambda": {
      const callee = attempt(scope, target.value, () => translate(scope, target.value).code);
      const args = argumentsOf(parts, target.value.parameters, []);
      return {
        code: `(${callee})(${args.code})`,
        names: new Set([...namesIn(target.value), ...args.names]),
      };
    }
    case "function": {
      const { statement } = target;
      const isGroup =
        statement?.parameters.some(({ name }) =>
          /^(?:states|completions|prompts|answers)$/.test(name),
        ) ?? false;
      if (isGroup)
        return {
          code: scope.todo(target.value, "a score of a group: write { group: (rollouts) => … }"),
          names: new Set(),
        };
      const callee = attempt(scope, target.value, () => translate(scope, target.value).code);
      const args = argumentsOf(parts, statement?.parameters ?? [], statement?.body ?? []);
      const isAsync =
        statement?.isAsync === true ||
        (statement !== undefined && scope.file.knowledge.asyncNames.has(statement.name));
      return {
        code: `${isAsync ? "await " : ""}${callee}(${args.code})`,
        names: new Set([...namesIn(target.value), ...args.names]),
      };
    }
  }
}

const contextValues: Readonly<Record<string, string>> = {
  completion: "context.completion",
  prompt: "context.prompt",
};

/** The arguments that verifiers passes by the names of the parameters. */
function argumentsOf(
  { scope, score, parser }: ScoreParts,
  parameters: readonly Parameter[],
  body: unknown,
): { readonly code: string; readonly names: ReadonlySet<string> } {
  const names = new Set<string>();
  const one = (name: string, isTyped: boolean): string => {
    const known = contextValues[name];
    if (known !== undefined) return isTyped ? `(${known} as any)` : known;
    if (name === "state") return `${scope.use("stateOf")}(context)`;
    if (name === "parser") {
      const own = score.parser ?? parser;
      if (own === undefined) return `new ${scope.use("Parser")}()`;
      for (const used of namesIn(own)) names.add(used);
      return attempt(scope, own, () => translate(scope, own).code);
    }
    if (name === "judge") {
      const { judge } = score;
      for (const used of namesIn(judge ?? [])) names.add(used);
      const prompt = judge == null ? "" : attempt(scope, judge, () => translate(scope, judge).code);
      return prompt === "" ? "judgeOf(context)" : `judgeOf(context, ${prompt})`;
    }
    if (name === "judge_prompt" && score.judge !== undefined && score.judge !== null)
      return attempt(scope, score.judge, () => translate(scope, score.judge!).code);
    return `context.example.${name}`;
  };
  const code = parameters
    .filter(({ star }) => star !== "*")
    .flatMap((parameter) => {
      const { name, star } = parameter;
      if (star !== "**") return [one(name, parameterType(parameter) !== "any")];
      if (!namesIn(body).has(name)) return [];
      scope.use("stateOf");
      return [
        "{ ...context.example, prompt: context.prompt, completion: context.completion, state: stateOf(context) }",
      ];
    });
  const last = code.map((argument) =>
    argument.replace(
      /^judgeOf\(/,
      `${code.some((other) => other.startsWith("judgeOf(")) ? scope.use("judgeOf") : ""}(`,
    ),
  );
  return { code: last.join(", "), names };
}
