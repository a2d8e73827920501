import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pLimit from "p-limit";

import type { Backend, Completion, Datum, LossSettings, SampleRequest } from "../../src/index.ts";
import type { ForwardInput, Request } from "./request-schemas.ts";

/** An error response. */
export class RequestError extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

interface QueuedSample {
  readonly request: SampleRequest;
  readonly resolve: (completion: Completion) => void;
  readonly reject: (error: unknown) => void;
}

/** Performs a service's operations on any backend: one model at a time, one operation at a time. */
export class ServiceOperations {
  readonly #backend: Backend;
  readonly #folder: string;
  readonly #queue = pLimit(1);
  readonly #checkpoints = new Set<string>();
  readonly #loaded = new Set<string>();
  #models = 0;
  /** Increases with every change of the weights. Requests to sample from older weights are rejected. */
  #version = 0;
  readonly #samplers = new Map<string, number>();
  #queuedSamples: QueuedSample[] = [];

  private constructor(backend: Backend, folder: string) {
    this.#backend = backend;
    this.#folder = folder;
  }

  static async start(backend: Backend): Promise<ServiceOperations> {
    const folder = await mkdtemp(join(tmpdir(), "tinker-"));
    await backend.saveState(join(folder, "base"));
    return new ServiceOperations(backend, folder);
  }

  /** `adapters`: the maximum number of models at a time. */
  createModel(adapters = Infinity): Promise<{ model_id: string }> {
    this.#models += 1;
    const id = `model_${this.#models}`;
    return this.#queue(async () => {
      if (this.#loaded.size >= adapters)
        throw new RequestError(400, `Maximum number of LoRA adapters (${adapters}) reached`);
      this.#loaded.add(id);
      await this.#backend.loadState(join(this.#folder, "base"));
      this.#version += 1;
      return { model_id: id };
    });
  }

  unload({ model_id: id }: Request<"unload_model">): Promise<object> {
    return this.#queue(() => {
      this.#loaded.delete(id);
      return { type: "unload_model", model_id: id, status: "unloaded" };
    });
  }

  /** Blocks all further operations. */
  block(): void {
    void this.#queue(() => new Promise(() => {}));
  }

  loseModel(): void {
    this.#models += 1;
  }

  loseSamplers(): void {
    this.#samplers.clear();
  }

  checkModel(id: string): void {
    if (id !== `model_${this.#models}`) throw new RequestError(404, "Model not found");
    if (!this.#loaded.has(id)) throw new RequestError(404, `Model ${id} not loaded`);
  }

  runForwardPass(input: ForwardInput, hasGradients: boolean): Promise<object> {
    const data = input.data.map((datum) => datumFrom(datum, input, hasGradients));
    return this.#queue(async () => {
      const forwards = hasGradients
        ? (await this.#backend.forwardBackward(data, lossFrom(input))).forwards
        : await this.#backend.forward(data);
      return {
        loss_fn_output_type: "scalar",
        loss_fn_outputs: forwards.map(({ logprobs }) => ({
          logprobs: { data: [...logprobs], dtype: "float32", shape: [logprobs.length] },
        })),
        metrics: {},
      };
    });
  }

  step({ adam_params: adam }: Request<"optim_step">): Promise<object> {
    return this.#queue(async () => {
      const { gradientNorm } = await this.#backend.optimStep({
        learningRate: adam.learning_rate,
        beta1: adam.beta1,
        beta2: adam.beta2,
        epsilon: adam.eps,
        weightDecay: adam.weight_decay,
        clipNorm: adam.grad_clip_norm,
      });
      this.#version += 1;
      return { metrics: { "skyrl.ai/grad_norm": gradientNorm } };
    });
  }

  save({ model_id: model, path: name }: Request<"save_weights">): Promise<object> {
    const path = `tinker://${model}/weights/${name}`;
    if (this.#checkpoints.has(path))
      throw new RequestError(409, `Checkpoint '${name}' already exists for model '${model}'`);
    this.#checkpoints.add(path);
    return this.#queue(async () => {
      await this.#backend.saveState(this.#fileFor(path));
      return { type: "save_weights", path };
    });
  }

  load({ path, optimizer }: Request<"load_weights">): Promise<object> {
    if (!this.#checkpoints.has(path)) throw new RequestError(404, `Checkpoint not found: ${path}`);
    return this.#queue(async () => {
      await this.#backend.loadState(this.#fileFor(path), { resetsOptimizer: !optimizer });
      this.#version += 1;
      return { type: "load_weights" };
    });
  }

  /** `byPath`: returns a path, like a service that stores the sampler's weights. Named weights are always stored. */
  publish(request: Request<"save_weights_for_sampler">, byPath: boolean): Promise<object> {
    const id = `${request.model_id}-${request.seq_id}`;
    return this.#queue(() => {
      this.#samplers.set(id, this.#version);
      const type = "save_weights_for_sampler";
      return byPath || request.path != null
        ? { type, path: `tinker://${request.model_id}/sampler_weights/${id}` }
        : { type, path: null, sampling_session_id: id };
    });
  }

  sample(request: Request<"asample">): Promise<object> {
    const { sampling_session_id: id, prompt, sampling_params: params } = request;
    const version = this.#samplers.get(id);
    if (version === undefined) throw new RequestError(404, "Sampling session not found");
    if (version !== this.#version) throw new RequestError(400, "The sampler has old weights");
    const { stopIds } = this.#backend.renderer;
    if (params.stop.join() !== stopIds.join()) throw new RequestError(400, "Other stop tokens");
    const sampleRequest = {
      promptIds: prompt.chunks.flatMap(({ tokens }) => tokens),
      maxTokens: params.max_tokens,
      temperature: params.temperature,
      topP: params.top_p,
      seed: params.seed,
    };
    return new Promise<Completion>((resolve, reject) => {
      if (this.#queuedSamples.length === 0) setTimeout(() => void this.#flush(), 0);
      this.#queuedSamples.push({ request: sampleRequest, resolve, reject });
    }).then(({ ids, logprobs, finish }) => ({
      type: "sample",
      sequences: [{ tokens: ids, logprobs, stop_reason: finish }],
    }));
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  async #flush(): Promise<void> {
    const batch = this.#queuedSamples;
    this.#queuedSamples = [];
    try {
      const completions = await this.#queue(() =>
        this.#backend.sample(batch.map(({ request }) => request)),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(completions[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #fileFor(path: string): string {
    return join(this.#folder, path.replaceAll(/\W/gu, "_"));
  }
}

/** The service has no weights for policy losses: clients multiply the advantages by them, so they are 1 here. */
function datumFrom(
  { model_input: input, loss_fn_inputs: inputs }: ForwardInput["data"][number],
  { loss_fn: loss }: ForwardInput,
  hasGradients: boolean,
): Datum {
  const tensor = (name: string): Float32Array => {
    const data = inputs[name]?.data;
    if (data?.length !== targets.length)
      throw new RequestError(400, `${name} is missing or too short`);
    return Float32Array.from(data);
  };
  const ids = input.chunks.flatMap(({ tokens }) => tokens);
  const targets = Int32Array.from(inputs["target_tokens"]?.data ?? []);
  if (targets.length !== ids.length)
    throw new RequestError(400, "Inputs and targets differ in length");
  const expectedNames = loss === "cross_entropy" ? ["weights"] : ["logprobs", "advantages"];
  if (loss === "gspo") expectedNames.push("weights");
  const names = Object.keys(inputs).filter((name) => name !== "target_tokens");
  if (names.toSorted().join() !== expectedNames.toSorted().join())
    throw new RequestError(400, `${loss} requires target_tokens, ${expectedNames.join(" and ")}`);
  const ones = new Float32Array(ids.length).fill(1);
  const sequence = { inputs: Int32Array.from(ids), targets };
  if (loss === "cross_entropy")
    return { ...sequence, weights: hasGradients ? tensor("weights") : ones };
  return {
    ...sequence,
    weights: loss === "gspo" ? tensor("weights") : ones,
    samplingLogprobs: tensor("logprobs"),
    advantages: tensor("advantages"),
  };
}

function lossFrom({ loss_fn: name, loss_fn_config: config }: ForwardInput): LossSettings {
  if (name === "cross_entropy" || name === "importance_sampling") {
    if (config) throw new RequestError(422, `${name} does not accept a config`);
    return { name };
  }
  const { clip_low_threshold: low, clip_high_threshold: high } = config ?? {
    clip_low_threshold: 0.8,
    clip_high_threshold: 1.2,
  };
  const importanceLevel = name === "gspo" ? "sequence" : "token";
  if (name !== "cispo")
    return { name: "clip", epsilonLow: 1 - low, epsilonHigh: high - 1, importanceLevel };
  if (low > 0) throw new RequestError(400, "The tiny model's cispo has no lower bound");
  return { name, epsilonHigh: high };
}
