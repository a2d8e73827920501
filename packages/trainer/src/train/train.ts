import { ConfigError, type EnvironmentFactory, type Message, type Model } from "@envs/core";
import { sharedJudges } from "@envs/core/engine";
import { chatModel } from "@envs/tiny-model";

import type { EntropyState } from "../algorithms/entropy-control.ts";
import type { Backend, BackendRequirements } from "../backend.ts";
import { type EvaluationResult, runEvaluations } from "./evaluations.ts";
import { createGuards } from "./guards.ts";
import { checkSeats } from "./model-seats.ts";
import type { Phase, SftPhase, TrainingPlan } from "./plan.ts";
import type { Players } from "./play-rollouts.ts";
import { rlStep } from "./rl.ts";
import { type PreparationOptions, sftDataset, sftStep } from "./sft.ts";
import type { StepReport } from "./step-report.ts";
import type { ReferenceModel } from "./update-policy.ts";

/** A position in a run: `step` steps of `phase` are complete. */
export interface TrainingPosition {
  readonly phase: string;
  readonly step: number;
  /** The state of entropy control after the step, in an RL phase. */
  readonly entropy?: EntropyState | undefined;
}

/** The events of training, in order. Training pauses until the consumer requests the next event. */
export type TrainingEvent =
  | {
      readonly type: "phase";
      readonly phase: string;
      readonly kind: Phase["kind"];
      readonly steps: number;
      /** Number of conversations of an SFT phase. */
      readonly conversations?: number | undefined;
      /** Number of conversations that exceed the model's context. */
      readonly tooLong?: number | undefined;
    }
  | ({
      readonly type: "step";
      readonly kind: Phase["kind"];
      readonly steps: number;
      readonly report: StepReport;
    } & TrainingPosition)
  | ({
      readonly type: "evaluation";
      /** One of the plan's `stages`, which run before the first phase and after each phase. */
      readonly isStage: boolean;
      readonly results: readonly EvaluationResult[];
    } & TrainingPosition)
  | ({
      /** The consumer may save the backend. */
      readonly type: "checkpoint";
      /** The phase is complete. */
      readonly isEnd: boolean;
    } & TrainingPosition);

/** By default, the policy answers sub-model calls. */
export interface TrainOptions
  extends Omit<Players, "model">, Pick<PreparationOptions, "onTokenized"> {
  readonly factory: EnvironmentFactory;
  readonly backend: Backend;
  readonly plan: TrainingPlan;
  /** Wraps the policy in an agent, which plays with it; its model calls are trained. Default: the policy plays itself. */
  readonly agent?: ((policy: Model) => Model) | undefined;
  /** Loads the conversations of an SFT phase. */
  readonly chats: (phase: SftPhase) => Promise<readonly (readonly Message[])[]>;
  /** Loads the model of a phase's KL penalty: the backend's weights at the start of that phase. */
  readonly reference?: ((phase: string) => Promise<ReferenceModel>) | undefined;
  /** Resumes at this position; the backend must have its weights. */
  readonly from?: TrainingPosition | undefined;
  /** Stops training after the current step, with a checkpoint. */
  readonly signal?: AbortSignal | undefined;
}

const never = new AbortController().signal;

const sftRequirements: BackendRequirements = { loss: { name: "cross_entropy" }, temperature: 1 };

/**
 * Trains phase by phase and yields events. All randomness depends on the plan's seed and the step, so that a resumed run
 * equals an uninterrupted one. Throws a `ConfigError` if a guard of the plan is violated.
 */
export async function* train(options: TrainOptions): AsyncGenerator<TrainingEvent> {
  const { factory, backend, plan, from, signal = never } = options;
  const policy = chatModel(backend);
  const model = options.agent?.(policy) ?? policy;
  // All steps share the answers.
  const judge = sharedJudges(options.judge);
  const { subModel, play } = options;
  checkBranches(plan, subModel);
  checkSeats(factory, plan.phases);
  const evaluation = { factory, model, judge, subModel, play, seed: plan.seed, signal };
  const phases = Object.entries(plan.phases);
  for (const [, phase] of phases)
    await backend.check?.(phase.kind === "rl" ? phase : sftRequirements);
  const first = from === undefined ? 0 : phases.findIndex(([name]) => name === from.phase);
  async function* evaluate(
    position: TrainingPosition,
    isEnd: boolean,
  ): AsyncGenerator<TrainingEvent> {
    for (const isStage of isEnd ? [false, true] : [false]) {
      const specs = isStage ? plan.stages : plan.evaluations;
      if (specs.length === 0) continue;
      const results = await runEvaluations(specs, evaluation);
      // An interrupted evaluation is incomplete; the resumed run repeats it.
      signal.throwIfAborted();
      yield { type: "evaluation", ...position, isStage, results };
    }
  }

  if (from === undefined) yield* evaluate({ phase: phases[0]?.[0] ?? "", step: 0 }, true);
  for (const [name, phase] of phases.slice(first)) {
    const start = from?.phase === name ? from.step : 0;
    // Before everything else: the reference model has the weights of this checkpoint.
    if (start === 0) yield { type: "checkpoint", phase: name, step: 0, isEnd: false };
    const { runStep, steps, conversations, tooLong } = await preparePhase(name, phase, {
      ...options,
      model,
      judge,
    });
    yield { type: "phase", phase: name, kind: phase.kind, steps, conversations, tooLong };
    const checkGuards = createGuards(plan, phase.kind);
    let entropy = from?.phase === name ? from.entropy : undefined;
    for (let step = start; step < steps;) {
      if (signal.aborted) {
        if (step > start) yield { type: "checkpoint", phase: name, step, entropy, isEnd: false };
        signal.throwIfAborted();
      }
      const report = await runStep(step, entropy);
      ({ entropy } = report);
      step += 1;
      checkGuards(step, report);
      yield { type: "step", kind: phase.kind, phase: name, step, steps, report };
      const isEnd = step === steps;
      const { evaluateEvery } = phase;
      if (isEnd || (evaluateEvery > 0 && step % evaluateEvery === 0))
        yield* evaluate({ phase: name, step }, isEnd);
      if (isEnd || step % phase.checkpointEvery === 0)
        yield { type: "checkpoint", phase: name, step, entropy, isEnd };
    }
  }
}

interface PreparedPhase {
  readonly steps: number;
  readonly conversations?: number;
  readonly tooLong?: number;
  /** `step` counts from 0. */
  readonly runStep: (step: number, entropy: EntropyState | undefined) => Promise<StepReport>;
}

async function preparePhase(
  name: string,
  phase: Phase,
  options: TrainOptions & { readonly model: Model },
): Promise<PreparedPhase> {
  const { factory, backend, model, judge, subModel, play, plan } = options;
  const seed = `${plan.seed}/${name}`;
  if (phase.kind === "sft") {
    const dataset = await sftDataset(await options.chats(phase), phase, backend, options);
    return {
      steps: dataset.steps,
      conversations: dataset.examples.length,
      tooLong: dataset.tooLong,
      runStep: (step) => sftStep(backend, phase, { dataset, seed, step }),
    };
  }
  const hasPenalty = phase.loss.name !== "cross_entropy" && (phase.loss.klCoefficient ?? 0) > 0;
  const reference = hasPenalty ? await options.reference?.(name) : undefined;
  // A step is never aborted: a partial batch would give other gradients.
  const players = { model, judge, subModel, play };
  const shared = { factory, backend, ...players, phase, reference, seed, signal: never };
  return { steps: phase.steps, runStep: (step, entropy) => rlStep({ ...shared, step, entropy }) };
}

/** Throws a `ConfigError` for a plan that trains on the calls of another model, whose tokens are not samples of the policy. */
function checkBranches({ phases }: TrainingPlan, subModel: Model | undefined): void {
  if (subModel === undefined) return;
  const phase = Object.entries(phases).find(
    ([, { kind, ...rest }]) => kind === "rl" && "branches" in rest && rest.branches,
  );
  if (phase === undefined) return;
  throw new ConfigError(
    `The phase ${phase[0]} trains on sub-model calls (branches), but ${subModel.id ?? "another model"} answers them. Remove subModel, so that the policy answers, or branches.`,
  );
}
