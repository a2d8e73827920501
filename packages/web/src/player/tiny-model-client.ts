import type { AssistantMessage, Message } from "@envs/core";

import { PlayError, type TinyPlayer } from "./session.ts";
import { readReply } from "./view-schema.ts";

const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 60_000;

interface WorkerResponse {
  readonly id?: number;
  readonly message?: unknown;
  readonly problem?: string;
}

/** A tiny model in a worker of the page. */
export class TinyModelClient {
  readonly #worker: Worker;
  #lastId = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Downloads the weights and starts the model. */
  static async load({ name, url, scriptUrl }: TinyPlayer): Promise<TinyModelClient> {
    const response = await fetch(url);
    if (!response.ok)
      throw new PlayError(`${name} cannot be downloaded: status ${response.status}.`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > maxBytes)
      throw new PlayError(`${name} has ${bytes.length} bytes, too many to play in a page.`);
    const client = new TinyModelClient(new Worker(scriptUrl, { type: "module", name }));
    await client.#request({ load: bytes, name }, () => true);
    return client;
  }

  async reply(messages: readonly Message[], seed: number): Promise<AssistantMessage> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { message } = await this.#request({ id, messages, seed }, (data) => data.id === id);
    return readReply(message);
  }

  close(): void {
    this.#worker.terminate();
  }

  #request(
    request: unknown,
    matches: (response: WorkerResponse) => boolean,
  ): Promise<WorkerResponse> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        worker.removeEventListener("message", onMessage);
        worker.removeEventListener("error", onError);
      };
      const fail = (message: string): void => {
        end();
        reject(new PlayError(`The model failed: ${message}`));
      };
      const onMessage = ({ data }: MessageEvent<WorkerResponse>): void => {
        if (data.problem !== undefined) return fail(data.problem);
        if (!matches(data)) return;
        end();
        resolve(data);
      };
      const onError = (event: ErrorEvent): void => fail(event.message || "its script did not load");
      const timer = setTimeout(
        () => fail(`no reply within ${timeoutMs / 1000} seconds`),
        timeoutMs,
      );
      worker.addEventListener("message", onMessage);
      worker.addEventListener("error", onError);
      worker.postMessage(request);
    });
  }
}
