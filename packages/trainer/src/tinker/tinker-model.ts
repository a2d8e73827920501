import { ConfigError } from "@envs/core";
import type { AdamWSettings, Completion, Renderer, SampleRequest } from "@envs/tiny-model";

import { datumLoss } from "../algorithms/datum-loss.ts";
import { addSums, type LossSums } from "../algorithms/loss-result.ts";
import type { LossSettings } from "../algorithms/loss-settings.ts";
import type { Backend, BackendRequirements, Datum, Forward, ForwardBackward } from "../backend.ts";
import { anything, saved, stepped } from "./answers.ts";
import { checkpointName, findServicePath, writeCheckpointNote } from "./checkpoint-note.ts";
import { pass } from "./pass.ts";
import type { Run } from "./run.ts";
import type { Sampler } from "./sampler.ts";
import { checkTemperature } from "./service-data.ts";
import { serviceLoss } from "./service-loss.ts";

/** What a {@link TinkerModel} is made of. */
export interface TinkerParts {
  readonly baseModel: string;
  readonly renderer: Renderer;
  readonly contextLength: number;
  readonly losses: readonly string[] | undefined;
  readonly run: Run;
  readonly sampler: Sampler;
}

/** A model of a service, as a backend. */
export class TinkerModel implements Backend {
  readonly id: string;
  readonly renderer: Renderer;
  readonly contextLength: number;
  readonly #parts: TinkerParts;

  constructor(parts: TinkerParts) {
    this.id = parts.baseModel;
    this.renderer = parts.renderer;
    this.contextLength = parts.contextLength;
    this.#parts = parts;
  }

  check({ loss, temperature }: BackendRequirements): void {
    const { loss_fn: name } = serviceLoss(loss);
    const { losses } = this.#parts;
    if (losses !== undefined && !losses.includes(name))
      throw new ConfigError(
        `This service has no loss ${name}, which ${loss.name} needs. It has ${losses.join(", ")}.`,
      );
    checkTemperature(temperature);
  }

  sample(requests: readonly SampleRequest[], signal?: AbortSignal): Promise<Completion[]> {
    return this.#parts.sampler.sample(requests, signal);
  }

  async forward(data: readonly Datum[]): Promise<readonly Forward[]> {
    return pass(this.#parts.run, { route: "forward", data, loss: { name: "cross_entropy" } });
  }

  /** The service tells log-probabilities; what the loss is, and how much was clipped, follows from them. */
  async forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward> {
    const forwards = await pass(this.#parts.run, { route: "forward_backward", data, loss });
    let sums: LossSums = {};
    let value = 0;
    for (const [index, datum] of data.entries()) {
      const result = datumLoss(loss, datum, forwards[index]!);
      value += result.value;
      sums = addSums(sums, result.sums);
    }
    return { forwards, loss: value, sums };
  }

  async optimStep(settings: AdamWSettings): Promise<{ gradientNorm: number | null }> {
    const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = settings;
    const { metrics } = await this.#parts.run.perform({
      route: "optim_step",
      body: () => ({
        type: "optim_step",
        adam_params: {
          learning_rate: learningRate,
          beta1,
          beta2,
          eps: epsilon,
          weight_decay: weightDecay,
          grad_clip_norm: clipNorm,
        },
      }),
      answer: stepped,
    });
    this.#parts.sampler.forget();
    const norm = Object.entries(metrics ?? {}).find(([name]) => /grad\w*_(?:norm|l2)/u.test(name));
    return { gradientNorm: norm?.[1] ?? null };
  }

  async saveState(path: string): Promise<void> {
    const { run, baseModel } = this.#parts;
    const { path: kept } = await run.perform({
      route: "save_weights",
      body: (number) => ({ type: "save_weights", path: checkpointName(path, number) }),
      answer: saved,
      isRepeatable: true,
    });
    await writeCheckpointNote(path, { path: kept, baseModel });
  }

  async loadState(path: string): Promise<void> {
    const { run, baseModel, sampler } = this.#parts;
    const kept = await findServicePath(path, baseModel);
    await run.perform({
      route: "load_weights",
      body: () => ({ type: "load_weights", path: kept, optimizer: true }),
      answer: anything,
    });
    sampler.forget();
  }

  async close(): Promise<void> {
    await this.#parts.run.end();
  }
}
