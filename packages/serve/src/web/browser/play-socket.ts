/// <reference lib="dom" />

/** The fields of OpenEnv's result of a reset or step that the page shows. */
export interface PlayResult {
  readonly observation: {
    readonly system_prompt?: string | undefined;
    readonly text?: string | undefined;
    readonly tool_name?: string | undefined;
    readonly result?: string | null | undefined;
    readonly error?: { readonly message: string } | null | undefined;
    readonly stop_reason?: string | undefined;
    readonly is_truncated?: boolean | undefined;
    readonly scores?: Readonly<Record<string, number | null>> | undefined;
  };
  readonly reward: number | null;
  readonly done: boolean;
}

/** The fields of OpenEnv's state that the page shows. */
export interface PlayState {
  readonly task: { readonly split: string; readonly index: number } | null;
}

/** A frame of the page. The server answers each frame once, in order. */
type PlayRequest =
  | { readonly type: "reset"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "step"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "state" };

type PlayResponse =
  | { readonly type: "observation" | "state"; readonly data: unknown }
  | { readonly type: "error"; readonly data: { readonly message: string } };

interface PendingRequest {
  readonly resolve: (data: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A session with one environment, over OpenEnv's socket. */
export class PlaySocket {
  readonly environment: string;
  readonly #socket: WebSocket;
  readonly #opened: Promise<void>;
  #pendingRequests: PendingRequest[] = [];
  #lastError: string | undefined;
  #isClosed = false;

  /** `onLost` is called when the connection ends without {@link close}. */
  constructor(environment: string, onLost: (reason: string) => void) {
    const url = new URL(`/${encodeURIComponent(environment)}/ws`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.environment = environment;
    this.#socket = new WebSocket(url);
    let hasOpened = false;
    this.#opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => {
        hasOpened = true;
        resolve();
      });
      this.#socket.addEventListener("close", () => reject(new Error("The socket did not open.")));
    });
    // Requests and `onLost` report the failure.
    this.#opened.catch(() => undefined);
    this.#socket.addEventListener("message", ({ data }) => this.#handleResponse(String(data)));
    this.#socket.addEventListener("close", ({ reason }) => {
      const wasClosed = this.#isClosed;
      this.close();
      if (!wasClosed) onLost(this.#lastError ?? (reason || lostReason(hasOpened)));
    });
  }

  reset(example: Readonly<Record<string, unknown>>): Promise<PlayResult> {
    return this.#request({ type: "reset", data: example });
  }

  step(action: Readonly<Record<string, unknown>>): Promise<PlayResult> {
    return this.#request({ type: "step", data: action });
  }

  state(): Promise<PlayState> {
    return this.#request({ type: "state" });
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pendingRequests) reject(new Error("The connection is closed."));
    this.#pendingRequests = [];
    this.#socket.close();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async #request<Data>(request: PlayRequest): Promise<Data> {
    await this.#opened;
    return new Promise<Data>((resolve, reject) => {
      this.#pendingRequests.push({ resolve: resolve as (data: unknown) => void, reject });
      this.#socket.send(JSON.stringify(request));
    });
  }

  #handleResponse(text: string): void {
    const response = JSON.parse(text) as PlayResponse;
    const request = this.#pendingRequests.shift();
    if (response.type !== "error") return request?.resolve(response.data);
    const { message } = response.data;
    this.#lastError = message;
    request?.reject(new Error(message));
  }
}

function lostReason(hasOpened: boolean): string {
  return hasOpened
    ? "The server closed it, or the network failed."
    : "The server does not respond. Check that it is running. If it requires a key, reload this page.";
}
