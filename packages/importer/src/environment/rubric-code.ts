import type { Block, Expression } from "../python/syntax.ts";
import type { File, Scope } from "../translate/scope.ts";
import { asksJudge } from "./asks-judge.ts";
import type { Bindings } from "./callback.ts";
import type { PythonScore } from "./rubric.ts";
import { scoreCode } from "./score.ts";
import { constantNumber } from "./settings.ts";

export function isJudged(
  place: { readonly file: File; readonly body: Block },
  { target, judge }: PythonScore,
): boolean {
  if (target.kind === "function")
    return (
      asksJudge(place, target.statement) ||
      (judge !== undefined &&
        (target.statement?.parameters.some(({ name }) => name === "judge") ?? false))
    );
  return target.kind === "lambda" && target.value.parameters.some(({ name }) => name === "judge");
}

interface RubricParts {
  readonly scope: Scope;
  readonly bindings: Bindings;
  readonly scores: readonly PythonScore[];
  readonly judged: readonly PythonScore[];
  readonly parser: Expression | undefined;
}

export function rubricCode({ scope, bindings, scores, judged, parser }: RubricParts): string {
  const names = new Set<string>();
  const code = (score: PythonScore, isMetric: boolean) => {
    let name = score.name;
    for (let copy = 2; names.has(name); copy += 1) name = `${score.name}_${copy}`;
    names.add(name);
    return `${JSON.stringify(name)}: ${scoreCode({ scope, bindings, score, parser, isJudged: judged.includes(score), isMetric })},`;
  };
  const weighted = scores.filter(
    ({ isMetric, weight }) => !isMetric && constantNumber(weight) !== 0,
  );
  const metrics = scores.filter((score) => !weighted.includes(score));
  const rubric = weighted.map((score) => code(score, false));
  const others = metrics.map((score) => code(score, true));
  const lines = [`rubric: {\n${rubric.join("\n")}\n},`];
  if (others.length > 0) lines.push(`metrics: {\n${others.join("\n")}\n},`);
  return lines.join("\n\n");
}
