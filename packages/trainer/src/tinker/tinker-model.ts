import { ConfigError } from "@envs/core";
import type { AdamWSettings, Completion, Renderer, SampleRequest } from "@envs/tiny-model";

import { datumLoss } from "../algorithms/datum-loss.ts";
import { addSums, type LossSums } from "../algorithms/loss-result.ts";
import type { LossSettings } from "../algorithms/loss-settings.ts";
import type {
  Backend,
  BackendRequirements,
  Datum,
  Forward,
  ForwardBackward,
  LoadOptions,
  SamplingWeights,
} from "../backend.ts";
import { downloadAdapter } from "./adapter-archive.ts";
import { checkpointName, findServicePath, writeCheckpointNote } from "./checkpoint-note.ts";
import { runForwardPass } from "./forward-pass.ts";
import { probeLoss } from "./loss-probe.ts";
import { publishWeights } from "./publish-weights.ts";
import { anyResult, optimizerOutput, savedWeights } from "./responses.ts";
import type { SamplingClient } from "./sampling-client.ts";
import { checkTemperature } from "./service-data.ts";
import { ServiceError } from "./service-error.ts";
import { serviceLoss } from "./service-loss.ts";
import type { TrainingClient } from "./training-client.ts";

export interface TinkerParts {
  readonly baseModel: string;
  readonly renderer: Renderer;
  readonly contextLength: number;
  readonly losses: readonly string[] | undefined;
  readonly training: TrainingClient;
  readonly sampling: SamplingClient;
}

/** A model on a service, as a backend. */
export class TinkerModel implements Backend {
  readonly id: string;
  readonly renderer: Renderer;
  readonly contextLength: number;
  readonly #parts: TinkerParts;
  /** The path of the present weights, if they were published. */
  #published: Promise<string> | undefined;

  constructor(parts: TinkerParts) {
    this.id = parts.baseModel;
    this.renderer = parts.renderer;
    this.contextLength = parts.contextLength;
    this.#parts = parts;
  }

  async check({ loss, temperature }: BackendRequirements): Promise<void> {
    checkTemperature(temperature);
    const settings = serviceLoss(loss);
    const { loss_fn: name } = settings;
    const { losses, training } = this.#parts;
    if (losses !== undefined && !losses.includes(name))
      throw new ConfigError(
        `The service does not support the loss ${name}, which ${loss.name} needs. It supports ${losses.join(", ")}.`,
      );
    if (losses !== undefined || name === "cross_entropy") return;
    if (name === "gspo")
      throw new ConfigError(
        "The service does not list its losses, and few compute gspo, which importanceLevel sequence needs. Use token.",
      );
    await probeLoss(training, settings);
  }

  sample(requests: readonly SampleRequest[], signal?: AbortSignal): Promise<Completion[]> {
    return this.#parts.sampling.sample(requests, signal);
  }

  async forward(data: readonly Datum[]): Promise<readonly Forward[]> {
    const loss = { name: "cross_entropy" } as const;
    return runForwardPass(this.#parts.training, { route: "forward", data, loss });
  }

  /** Computes the loss and its sums from the log-probabilities that the service returns. */
  async forwardBackward(data: readonly Datum[], loss: LossSettings): Promise<ForwardBackward> {
    const forwards = await runForwardPass(this.#parts.training, {
      route: "forward_backward",
      data,
      loss,
    });
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
    const { metrics } = await this.#parts.training.perform({
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
      response: optimizerOutput,
    });
    this.#invalidate();
    const norm = Object.entries(metrics ?? {}).find(([name]) => /grad\w*_(?:norm|l2)/u.test(name));
    return { gradientNorm: norm?.[1] ?? null };
  }

  async samplingWeights(): Promise<SamplingWeights> {
    this.#published ??= publishWeights(this.#parts.training);
    return { path: await this.#published, contextLength: this.contextLength };
  }

  adapterArchive(): Promise<Uint8Array> {
    return downloadAdapter(this.#parts.training);
  }

  async saveState(path: string): Promise<void> {
    const { training, baseModel } = this.#parts;
    const { path: servicePath } = await training.perform({
      route: "save_weights",
      body: (number) => ({ type: "save_weights", path: checkpointName(path, number) }),
      response: savedWeights,
      isRepeatable: true,
    });
    await writeCheckpointNote(path, { path: servicePath, baseModel });
  }

  /** SkyRL 0.4.0 and Tinker load only into a model without earlier requests. */
  async loadState(path: string, { resetsOptimizer = false }: LoadOptions = {}): Promise<void> {
    const { training, baseModel } = this.#parts;
    const servicePath = await findServicePath(path, baseModel);
    const load = (): Promise<unknown> =>
      training.perform({
        route: "load_weights",
        body: () => ({ type: "load_weights", path: servicePath, optimizer: !resetsOptimizer }),
        response: anyResult,
      });
    await load().catch(async (error: unknown) => {
      const isUsed = error instanceof ServiceError && /not permitted/iu.test(error.detail);
      if (!isUsed) throw error;
      await training.renew();
      await load();
    });
    this.#invalidate();
  }

  async close(): Promise<void> {
    await this.#parts.training.close();
  }

  #invalidate(): void {
    this.#parts.sampling.invalidate();
    this.#published = undefined;
  }
}
