import { sleep } from "@envs/core/engine";

import { anyResult, future, model } from "./responses.ts";
import { retrieveResult } from "./retrieve-result.ts";
import type { ServiceClient } from "./service-client.ts";
import { ServiceError } from "./service-error.ts";

const maxPauseMs = 10_000;

export interface ModelOptions {
  readonly baseModel: string;
  readonly loraRank: number;
  readonly seed: number;
  /** Timeout of an operation. */
  readonly timeoutMs: number;
  /** Maximum wait for a free adapter on the service. */
  readonly adapterTimeoutMs: number;
  /** Receives the reason for which the client waits. */
  readonly onWait?: ((reason: string) => void) | undefined;
  /** Aborts all operations. */
  readonly signal: AbortSignal;
}

/** A session's model on the service. It may be unloaded and created again, under another id. */
export class CreatedModel {
  /** Number of operations on the model, which are numbered from 1. */
  operations = 0;
  readonly #service: ServiceClient;
  readonly #sessionId: string;
  readonly #options: ModelOptions;
  /** Number of models that the session has created. */
  #models = 0;
  #id: string | undefined;

  constructor(service: ServiceClient, sessionId: string, options: ModelOptions) {
    this.#service = service;
    this.#sessionId = sessionId;
    this.#options = options;
  }

  get id(): string {
    if (this.#id === undefined) throw new ServiceError("The service has no model of this session.");
    return this.#id;
  }

  /** Waits for an adapter if all are in use: services keep the adapters of ended clients for minutes. */
  async create(): Promise<void> {
    const { adapterTimeoutMs, onWait, signal } = this.#options;
    const start = performance.now();
    const pauseMs = Math.min(maxPauseMs, adapterTimeoutMs / 20);
    let isWaiting = false;
    for (;;) {
      try {
        this.#id = await this.#request();
        this.operations = 0;
        return;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (isRankRefused(error))
          throw new ServiceError(
            `The service rejects an adapter of rank ${this.#options.loraRank} (${error.detail}). Change loraRank, or raise max_lora_rank of the server.`,
            { cause: error, isFatal: true },
          );
        if (!isFull(error)) throw error;
        const seconds = adapterTimeoutMs / 1000;
        if (performance.now() - start + pauseMs > adapterTimeoutMs)
          throw new ServiceError(
            `The service has no free LoRA adapter (${error.detail})${seconds === 0 ? "" : `, and none became free within ${seconds} s`}. Close the other clients, raise max_lora_adapters of the server, or wait longer with adapterTimeout: a server keeps the adapter of a killed client until its session expires.`,
            { cause: error, isFatal: true },
          );
        if (!isWaiting)
          onWait?.(
            `The service has no free LoRA adapter (${error.detail}). Waiting up to ${seconds} s, because a server keeps the adapter of a killed client until its session expires.`,
          );
        isWaiting = true;
        await sleep(pauseMs, signal);
      }
    }
  }

  /** Unloads the model, and waits until its adapter is free. */
  async unload(): Promise<void> {
    const { timeoutMs, signal } = this.#options;
    const body = this.#unloadBody();
    const { request_id: requestId } = await this.#service.request({ ...body, response: future });
    const pending = { requestId, response: anyResult, timeoutMs, signal, ...body };
    await retrieveResult(this.#service, pending);
    this.#id = undefined;
  }

  /** Unloads the model without waiting, also after the signal was aborted. Ignores failures. */
  async release(): Promise<void> {
    if (this.#id !== undefined) await this.#service.notify(this.#unloadBody());
  }

  #unloadBody() {
    return { route: "unload_model", body: { type: "unload_model", model_id: this.id } };
  }

  /** Each attempt has its own number: services answer a repeated number with the earlier result. */
  async #request(): Promise<string> {
    const { baseModel, loraRank, seed, timeoutMs, signal } = this.#options;
    const { request_id: requestId, model_id: earlyId } = await this.#service.request({
      route: "create_model",
      body: {
        type: "create_model",
        session_id: this.#sessionId,
        model_seq_id: this.#models,
        base_model: baseModel,
        lora_config: { rank: loraRank, seed },
      },
      response: future,
    });
    this.#models += 1;
    // Sets the id before the model exists, so that a client that is closed meanwhile can unload it.
    this.#id = earlyId ?? undefined;
    const pending = { requestId, route: "create_model", response: model, timeoutMs, signal };
    const { model_id: id } = await retrieveResult(this.#service, pending);
    return id;
  }
}

function isRankRefused({ detail }: ServiceError): boolean {
  return /\blora rank\b/iu.test(detail);
}

/** All adapters of the service are in use. */
function isFull({ detail }: ServiceError): boolean {
  return /maximum number of lora adapters/iu.test(detail);
}
