import {
  ConfigError,
  type JudgePrompt,
  type Message,
  type Sampling,
  type ScoreContext,
  userMessage,
  type WeightedScore,
} from "@envs/core";
import { contentHash } from "@envs/core/engine";

import { askVerdict } from "./ask-verdict.ts";
import { combine, type Decision } from "./combine.ts";
import { quotedRule } from "./quoted.ts";
import { template } from "./template.ts";
import type { Combination, Verdict } from "./verdict.ts";

/** How a judge scores a rollout. */
export interface JudgeOptions<Config, E, State> {
  /**
   * The question to the judge. A text with fields such as `{reply}`, `{prompt}`, `{conversation}` and `{example.answer}`, each of
   * which is quoted; or a function that returns a text or messages, in which `quoted` quotes what a model wrote. Its parameter
   * needs a type, such as `ScoreContext<unknown, { question: string }>`.
   */
  readonly prompt:
    | string
    | ((context: ScoreContext<Config, E, State>) => string | readonly Message[]);
  /** The form of the verdict: `choices("no", "partly", "yes")`, `grade(1, 5)`, or `structure(schema, score)`. */
  readonly verdict: Verdict;
  /** How many times each judge is asked. Default 1. Several votes differ only if the judge samples. */
  readonly votes?: number | undefined;
  /** How several votes or judges become one. Default: majority of choices, median of numbers, mean of structures. */
  readonly combine?: Combination | undefined;
  /** How many times an answer without a valid verdict is asked again. Default 2. Then the rollout fails. */
  readonly retries?: number | undefined;
  readonly sampling?: Sampling | undefined;
  /** The judge that the prompt is written for, as `--judge` takes it. The command line asks it unless `--judge` names another. */
  readonly model?: string | undefined;
  /** The factor of the score in the reward. Default 1. */
  readonly weight?: number | undefined;
  /** One line for tables. */
  readonly description?: string | undefined;
  enabled?: WeightedScore<Config, E, State>["enabled"];
}

/** A score of a rubric that asks a judge. */
export interface JudgeScore<Config, E, State> extends WeightedScore<Config, E, State> {
  readonly needs: readonly ["judge"];
  readonly judge: JudgePrompt;
  /** Asks the judge. Scores that share one verdict call it once, by `memo`. */
  score(context: ScoreContext<Config, E, State>): Promise<Decision>;
}

/**
 * Creates a score that asks a model. The caller passes the model: `evaluate(environment, { model, judge })`, or `--judge` on
 * the command line. The score's feedback is the judge's explanation. A judge that fails, or whose answers lack a valid verdict, fails
 * the rollout with the code `score`: it never counts as 0.
 */
export function judge<Config, E, State>(
  options: JudgeOptions<Config, E, State>,
): JudgeScore<Config, E, State> {
  const { prompt, verdict, votes = 1, retries = 2, sampling, model, weight, description } = options;
  const { combine: combination = verdict.combine, enabled } = options;
  checkCount("votes", votes, 1);
  checkCount("retries", retries, 0);
  const filled = typeof prompt === "string" ? template(prompt) : undefined;
  const rules = { rule: quotedRule, instruction: verdict.instruction };
  const source = typeof prompt === "string" ? prompt : prompt.toString();
  return {
    weight,
    description,
    range: verdict.range,
    needs: ["judge"],
    judge: {
      prompt: contentHash({ source, rules, votes, combination, sampling }),
      model,
      choices: verdict.choices,
    },
    ...(enabled === undefined ? {} : { enabled }),
    async score(context) {
      const asked = filled?.fill(context) ?? (prompt as Exclude<typeof prompt, string>)(context);
      const messages = messagesOf(asked, verdict);
      // A run without a judge has stopped before its first model call.
      const { panel } = context.judge!;
      const seeds = Array.from({ length: votes }, (_, seed) => seed);
      const opinions = await Promise.all(
        panel.flatMap((member) =>
          seeds.map((seed) =>
            askVerdict({ judge: member, messages, verdict, sampling, seed, retries }),
          ),
        ),
      );
      return combine(opinions, combination);
    },
  };
}

/** A text follows the rule about quoted texts. Messages of the author's own stay as they are. */
function messagesOf(
  asked: string | readonly Message[],
  { instruction }: Verdict,
): readonly Message[] {
  if (typeof asked !== "string") return [...asked, userMessage(instruction)];
  return [{ role: "system", content: quotedRule }, userMessage(`${asked}\n\n${instruction}`)];
}

function checkCount(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw new ConfigError(
    `${name} of judge() is ${value}. It must be a whole number of at least ${min}.`,
  );
}
