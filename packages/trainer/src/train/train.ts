import type { EnvironmentFactory, Message, Model } from "@envs/core";
import { chatModel } from "@envs/tiny-model";

import type { Backend, BackendRequirements } from "../backend.ts";
import { watch } from "./guards.ts";
import type { Reference } from "./learn.ts";
import { type Measured, measure } from "./measure.ts";
import type { Phase, SftPhase, TrainingPlan } from "./plan.ts";
import { rlStep } from "./rl.ts";
import { curriculumOf, sftStep } from "./sft.ts";
import type { StepReport } from "./step-report.ts";

/** A place in a run: `step` steps of `phase` are done. */
export interface Place {
  readonly phase: string;
  readonly step: number;
}

/** What happens during training, in order. Between two events nothing changes: at a `checkpoint` the backend may be saved. */
export type TrainingEvent =
  | {
      readonly type: "phase";
      readonly phase: string;
      readonly kind: Phase["kind"];
      readonly steps: number;
      /** Conversations of a supervised phase, and how many did not fit. */
      readonly lessons?: number;
      readonly tooLong?: number;
    }
  | ({
      readonly type: "step";
      readonly kind: Phase["kind"];
      readonly steps: number;
      readonly report: StepReport;
    } & Place)
  | ({
      readonly type: "evaluation";
      /** Done before the first phase or after a phase, for the report's table. */
      readonly isStage: boolean;
      readonly measured: readonly Measured[];
    } & Place)
  | ({
      readonly type: "checkpoint";
      /** The phase is over. */
      readonly isEnd: boolean;
    } & Place);

/** What is trained, on what, and how. */
export interface TrainOptions {
  readonly factory: EnvironmentFactory;
  readonly backend: Backend;
  readonly plan: TrainingPlan;
  /** The conversations that a supervised phase learns from. */
  readonly chats: (phase: SftPhase) => Promise<readonly (readonly Message[])[]>;
  /** The model that a phase's KL term holds to: the backend's weights at the start of that phase. */
  readonly reference?: (phase: string) => Promise<Reference>;
  /** Where to go on; the backend has the weights of that place. */
  readonly from?: Place;
  /** Ends training after the step that is under way, with a checkpoint. */
  readonly signal?: AbortSignal;
}

const never = new AbortController().signal;

const imitation: BackendRequirements = { loss: { name: "cross_entropy" }, temperature: 1 };

/**
 * Trains phase by phase and tells what happens. All randomness comes from the plan's seed and the step, so that a run that
 * was stopped goes on as if it had not been. Throws a `ConfigError` when training goes wrong.
 */
export async function* train(options: TrainOptions): AsyncGenerator<TrainingEvent> {
  const { factory, backend, plan, from, signal = never } = options;
  const model = chatModel(backend);
  const evaluation = { factory, model, seed: plan.seed, signal };
  const phases = Object.entries(plan.phases);
  for (const [, phase] of phases) backend.check?.(phase.kind === "rl" ? phase : imitation);
  const first = from === undefined ? 0 : phases.findIndex(([name]) => name === from.phase);
  async function* evaluate(place: Place, isEnd: boolean): AsyncGenerator<TrainingEvent> {
    for (const isStage of isEnd ? [false, true] : [false]) {
      const specs = isStage ? plan.stages : plan.evaluations;
      if (specs.length === 0) continue;
      const measured = await measure(specs, evaluation);
      // Half of an evaluation is none: it is done again when the run goes on.
      signal.throwIfAborted();
      yield { type: "evaluation", ...place, isStage, measured };
    }
  }

  if (from === undefined) yield* evaluate({ phase: phases[0]?.[0] ?? "", step: 0 }, true);
  for (const [name, phase] of phases.slice(first)) {
    const begun = from?.phase === name ? from.step : 0;
    // First of all, since a KL term holds to the weights of this moment.
    if (begun === 0) yield { type: "checkpoint", phase: name, step: 0, isEnd: false };
    const prepared = await prepare(name, phase, { ...options, model });
    const { steps, lessons, tooLong } = prepared;
    yield {
      type: "phase",
      phase: name,
      kind: phase.kind,
      steps,
      ...(lessons === undefined ? {} : { lessons }),
      ...(tooLong === undefined ? {} : { tooLong }),
    };
    const check = watch(plan, phase.kind);
    for (let done = begun; done < steps;) {
      if (signal.aborted) {
        if (done > begun) yield { type: "checkpoint", phase: name, step: done, isEnd: false };
        signal.throwIfAborted();
      }
      const report = await prepared.step(done);
      done += 1;
      check(done, report);
      yield { type: "step", kind: phase.kind, phase: name, step: done, steps, report };
      const isEnd = done === steps;
      const { evaluateEvery } = phase;
      if (isEnd || (evaluateEvery > 0 && done % evaluateEvery === 0))
        yield* evaluate({ phase: name, step: done }, isEnd);
      if (isEnd || done % phase.checkpointEvery === 0)
        yield { type: "checkpoint", phase: name, step: done, isEnd };
    }
  }
}

interface Prepared {
  readonly steps: number;
  readonly lessons?: number;
  readonly tooLong?: number;
  readonly step: (step: number) => Promise<StepReport>;
}

/** Fetches what a phase needs before its first step. */
async function prepare(
  name: string,
  phase: Phase,
  options: TrainOptions & { readonly model: Model },
): Promise<Prepared> {
  const { factory, backend, model, plan } = options;
  const seed = `${plan.seed}/${name}`;
  if (phase.kind === "sft") {
    const curriculum = curriculumOf(await options.chats(phase), phase, backend);
    return {
      steps: curriculum.steps,
      lessons: curriculum.lessons.length,
      tooLong: curriculum.tooLong,
      step: (step) => sftStep(backend, phase, { curriculum, seed, step }),
    };
  }
  const held = phase.loss.name !== "cross_entropy" && (phase.loss.klCoefficient ?? 0) > 0;
  const reference = held ? await options.reference?.(name) : undefined;
  // A step is finished once it is begun: half a batch would teach something else.
  const step = { factory, backend, model, phase, reference, seed, signal: never };
  return {
    steps: phase.steps,
    step: (done) => rlStep({ ...step, step: done }),
  };
}
