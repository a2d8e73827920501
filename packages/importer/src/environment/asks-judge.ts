import type { FunctionStatement } from "../python/syntax.ts";
import { namesIn } from "../translate/walk.ts";
import { classOf, resolve } from "./resolve.ts";
import { functionOf, type ScoringBody } from "./scoring-body.ts";

/** Whether a function asks a judge: it takes one, or uses a name that is a `JudgeRubric`. */
export function asksJudge(
  scoring: ScoringBody,
  statement: FunctionStatement | undefined,
  depth = 0,
): boolean {
  if (statement === undefined || depth > 6) return false;
  if (statement.parameters.some(({ name }) => name === "judge")) return true;
  for (const name of namesIn(statement.body)) {
    const value = resolve(scoring.body, { kind: "name", name, from: 0, to: 0 });
    if (
      value.kind === "call" &&
      /Judge/.test(classOf(scoring.file, scoring.body, value.callee)?.base ?? "")
    )
      return true;
    const inner: FunctionStatement | undefined =
      name === statement.name ? undefined : functionOf(scoring, name);
    if (inner !== undefined && inner !== statement && asksJudge(scoring, inner, depth + 1))
      return true;
  }
  return false;
}
