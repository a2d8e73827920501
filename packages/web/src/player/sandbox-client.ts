import { PlayError } from "./session.ts";

/** A request that takes longer is taken for an endless loop. */
const requestTimeoutMs = 10_000;

export interface SandboxOptions {
  /** The page of the frame, on this origin; its response makes it a sandbox without an origin. */
  readonly frameUrl: string;
  readonly code: string;
  readonly timeoutMs?: number | undefined;
}

interface Pending {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
  readonly timer: number;
}

/** Published code in a worker in a sandboxed frame. It answers requests as text; any other message is ignored. */
export class SandboxClient {
  readonly #frame: HTMLIFrameElement;
  readonly #port: MessagePort;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #problem: PlayError | undefined;

  private constructor(frame: HTMLIFrameElement, port: MessagePort, timeoutMs: number) {
    this.#frame = frame;
    this.#port = port;
    this.#timeoutMs = timeoutMs;
    port.addEventListener("message", ({ data }: MessageEvent<unknown>) => this.#handle(data));
    port.start();
  }

  /** Loads the frame and the code. Rejects if the code does not load in time. */
  static async open({
    frameUrl,
    code,
    timeoutMs = requestTimeoutMs,
  }: SandboxOptions): Promise<SandboxClient> {
    const frame = document.createElement("iframe");
    frame.sandbox.add("allow-scripts");
    frame.src = frameUrl;
    frame.title = "The environment's code";
    frame.hidden = true;
    await new Promise((resolve, reject) => {
      frame.addEventListener("load", resolve, { once: true });
      frame.addEventListener("error", reject, { once: true });
      document.body.append(frame);
    });
    const { port1, port2 } = new MessageChannel();
    const client = new SandboxClient(frame, port1, timeoutMs);
    const ready = client.#wait(0);
    // The frame has no origin that could be named as the target.
    frame.contentWindow?.postMessage(code, "*", [port2]);
    await ready;
    return client;
  }

  send(text: string): Promise<string> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    this.#lastId += 1;
    const answer = this.#wait(this.#lastId);
    this.#port.postMessage([this.#lastId, text]);
    return answer;
  }

  /** Why the code has ended. */
  get problem(): PlayError | undefined {
    return this.#problem;
  }

  close(): void {
    this.#fail("The environment was closed.");
  }

  #wait(id: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          this.#fail(`The environment did not answer within ${this.#timeoutMs / 1000} seconds.`),
        this.#timeoutMs,
      ) as unknown as number;
      this.#pending.set(id, { resolve, reject, timer });
    });
  }

  #handle(data: unknown): void {
    const [type, ...rest] = data as readonly unknown[];
    if (type === "ended") return this.#fail(String(rest[0]));
    const [id, text] = type === "ready" ? [0, ""] : rest;
    const pending = this.#pending.get(id as number);
    if (pending === undefined) return;
    this.#pending.delete(id as number);
    clearTimeout(pending.timer);
    pending.resolve(text as string);
  }

  /** Removing the frame ends its worker, even in an endless loop. */
  #fail(message: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = new PlayError(message, { isLost: true });
    this.#port.postMessage(["end", message]);
    this.#port.close();
    this.#frame.remove();
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(this.#problem);
    }
    this.#pending.clear();
  }
}
