/** How a server reacted to a request, and after which time. */
export interface StepOutcome {
  readonly kind: "answer" | "error" | "closed" | "hang";
  readonly seconds: number;
}

/** One session of OpenEnv's protocol over a WebSocket. It sends one request at a time. */
export class ServeClient implements Disposable {
  readonly #socket: WebSocket;
  readonly #maxWaitMs: number;
  readonly #isOpen: Promise<boolean>;

  constructor(url: string, maxWaitSeconds: number) {
    this.#maxWaitMs = maxWaitSeconds * 1000;
    this.#socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
    this.#isOpen = new Promise((resolve) => {
      this.#socket.addEventListener("open", () => resolve(true), { once: true });
      this.#socket.addEventListener("close", () => resolve(false), { once: true });
      this.#socket.addEventListener("error", () => resolve(false), { once: true });
    });
  }

  reset(): Promise<StepOutcome> {
    return this.#send({ type: "reset", data: {} });
  }

  step(text: string): Promise<StepOutcome> {
    return this.#send({ type: "step", data: { text } });
  }

  async #send(message: object): Promise<StepOutcome> {
    const start = performance.now();
    const outcome = (kind: StepOutcome["kind"]): StepOutcome => ({
      kind,
      seconds: (performance.now() - start) / 1000,
    });
    const socket = this.#socket;
    const listeners = new AbortController();
    const { signal } = listeners;
    const kind = await new Promise<StepOutcome["kind"]>((resolve) => {
      const timer = setTimeout(() => resolve("hang"), this.#maxWaitMs);
      signal.addEventListener("abort", () => clearTimeout(timer));
      socket.addEventListener("message", ({ data }) => resolve(kindOf(String(data))), { signal });
      socket.addEventListener("close", () => resolve("closed"), { signal });
      void this.#isOpen.then((isOpen) => {
        if (isOpen && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
        else resolve("closed");
      });
    });
    listeners.abort();
    return outcome(kind);
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

function kindOf(message: string): "answer" | "error" {
  const { type } = JSON.parse(message) as { readonly type: string };
  return type === "error" ? "error" : "answer";
}
