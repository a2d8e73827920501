import type { Environment, Model } from "@envs/core";
import { isRolloutError, replay, sharedJudges } from "@envs/core/engine";

import type { JudgePlan, LoadedJudge } from "../models/load-judge.ts";
import type { LabelledVerdict } from "./agreement.ts";
import type { LabelledReply } from "./labelled-replies.ts";

export interface JudgedReplies {
  readonly verdicts: readonly LabelledVerdict[];
  /** Why replies have fewer verdicts than repetitions. */
  readonly failures: readonly string[];
}

interface Judging {
  /** An environment whose only score is the judged one. */
  readonly environment: Environment;
  readonly score: string;
  readonly judge: LoadedJudge;
  readonly plan: JudgePlan;
  readonly repetitions: number;
}

/** Keeps only one score of an environment, so that the others do not run. */
export function withOnly(environment: Environment, score: string): Environment {
  const { definition } = environment;
  const entry = definition.rubric[score] ?? definition.metrics?.[score];
  return {
    ...environment,
    definition: { ...definition, rubric: { [score]: entry! }, metrics: {} },
  };
}

/** Judges each reply several times. Each repetition asks again, with other seeds. */
export async function judgeReplies(
  replies: readonly LabelledReply[],
  judging: Judging,
): Promise<JudgedReplies> {
  const verdicts: LabelledVerdict[] = [];
  const failures: string[] = [];
  for (let repetition = 0; repetition < judging.repetitions; repetition += 1) {
    const judge = judgesOf(judging, repetition);
    await Promise.all(
      replies.map(async ({ example, completion, label }, reply) => {
        const episode = await replay(judging.environment, example, { completion, judge });
        try {
          if (episode.stopReason === undefined) episode.stop("turns");
          const { scores } = await episode.score();
          const verdict = scores[judging.score];
          if (typeof verdict === "number") verdicts.push({ reply, label, verdict });
        } catch (error) {
          if (!isRolloutError(error) || error.isFatal) throw error;
          failures.push(error.message);
        } finally {
          await episode.close();
        }
      }),
    );
  }
  // Sorts the verdicts: judging runs in parallel, and the order of answers must not change the bootstrap.
  return { verdicts: verdicts.toSorted((a, b) => a.reply - b.reply), failures };
}

const maxVotes = 1000;

function judgesOf({ judge, plan }: Judging, repetition: number): readonly Model[] {
  const { judgeConcurrency, judgeTimeout } = plan;
  const { store } = judge;
  const judgeStore = store && {
    get: (key: string) => store.get(`${repetition}-${key}`),
    set: (key: string, response: Parameters<typeof store.set>[1]) =>
      store.set(`${repetition}-${key}`, response),
  };
  const models = judge.models.map((model) => {
    const repeated: Model = (request) =>
      model({ ...request, seed: (request.seed ?? 0) + repetition * maxVotes });
    return Object.assign(repeated, { id: model.id });
  });
  return sharedJudges(models, { judgeConcurrency, judgeTimeout, judgeStore });
}
