import { ConfigError } from "../errors.ts";
import { checkModel } from "../model/model.ts";
import { type JudgeModels, modelsOf } from "../rubric/judge.ts";
import { describeScores, type ScoreDescription } from "../rubric/rubric.ts";
import type { Environment } from "./environment.ts";

type Judged = Pick<Environment, "definition"> & Partial<Pick<Environment, "config">>;

/** The scores that ask a judge: all of a definition, or those that the config enables. */
export function judgedScores({ definition, config }: Judged): readonly ScoreDescription[] {
  return describeScores(definition, config).filter(({ needs = [] }) => needs.includes("judge"));
}

/** The judge that the author wrote the scores for; `undefined` if the author named no judge, or different ones. */
export function defaultJudge(environment: Judged): string | undefined {
  const names = new Set(judgedScores(environment).map(({ judge }) => judge?.model));
  const [first] = names;
  return names.size === 1 ? first : undefined;
}

interface JudgeChoice {
  readonly judge?: JudgeModels | undefined;
  readonly skipJudged?: boolean | undefined;
}

/** Throws a `ConfigError` if an environment needs a judge that was not passed, or if a judge cannot judge. */
export function checkJudge(
  environment: Environment,
  { judge, skipJudged = false }: JudgeChoice,
): void {
  const { name } = environment;
  for (const model of modelsOf(judge))
    checkModel(model, { name: `the judge of ${name}`, policies: [], media: [] });
  if (skipJudged || modelsOf(judge).length > 0) return;
  if (judgedScores(environment).length > 0) throw missingJudge(environment);
}

/** The error for scores that ask a judge where the caller passed none. */
export function missingJudge(environment: Pick<Environment, "name"> & Judged): ConfigError {
  const scores = judgedScores(environment).map((score) => score.name);
  const usual = defaultJudge(environment);
  const hint = usual === undefined ? "" : ` The author wrote it for ${usual}.`;
  const subject =
    scores.length === 1 ? `The score ${scores[0]!}` : `The scores ${scores.join(", ")}`;
  const verb = scores.length === 1 ? "asks" : "ask";
  return new ConfigError(
    `${subject} of ${environment.name} ${verb} a judge, and none was passed. Pass a model as the option judge, as in evaluate(environment, { model, judge }), or on the command line: --judge gpt-5-mini.${hint}`,
  );
}
