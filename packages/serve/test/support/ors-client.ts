/** A response of the server: JSON, or events. */
export interface OrsResponse {
  readonly status: number;
  readonly type: string | null;
  readonly location: string | null;
  readonly text: string;
  /** Throws if the body is not JSON. */
  readonly json: unknown;
  readonly events: readonly ServerSentEvent[];
}

/** One event of a stream. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** The result of a call. */
export interface CallResult {
  readonly ok: boolean;
  readonly error?: string;
  readonly reason?: string;
  readonly output?: {
    readonly blocks: readonly { readonly type: string; readonly text: string }[];
    readonly metadata: Readonly<Record<string, unknown>> | null;
    readonly reward: number | null;
    readonly finished: boolean;
  };
}

/** Parses events like the Python clients, which strip white space from the start of a line's data. */
export function eventsOf(stream: string): ServerSentEvent[] {
  return stream
    .split("\n\n")
    .filter((frame) => frame !== "" && !frame.startsWith(":"))
    .map((frame) => {
      const fields = frame.split("\n").map((line) => /^(?<name>\w+):\s*(?<value>.*)$/su.exec(line));
      const values = (name: string) =>
        fields.filter((field) => field?.groups?.name === name).map((field) => field!.groups!.value);
      return { event: values("event").join(""), data: values("data").join("\n") };
    });
}

/** An ORS client with one session. */
export function orsClient({ url }: { readonly url: string }, id?: string) {
  const send = async (
    path: string,
    init: RequestInit = {},
    headers: Record<string, string> = {},
  ): Promise<OrsResponse> => {
    const session = id === undefined ? {} : { "x-session-id": id };
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { ...session, ...headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      location: response.headers.get("location"),
      text,
      get json() {
        return JSON.parse(text) as unknown;
      },
      get events() {
        return eventsOf(text);
      },
    };
  };
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    body === undefined
      ? send(path, { method: "POST" }, headers)
      : send(
          path,
          { method: "POST", body: JSON.stringify(body) },
          { "content-type": "application/json", ...headers },
        );
  return {
    send,
    post,
    get: (path: string, headers?: Record<string, string>) => send(path, {}, headers),
    /** Calls a tool, and parses the result from the stream. */
    async call(path: string, name: string, input: unknown): Promise<CallResult> {
      const { status, text, events } = await post(path, { name, input });
      if (events.at(-1)?.event !== "end") throw new Error(`${status} ${text}`);
      const chunks = events.filter(({ event }) => event === "chunk" || event === "end");
      return JSON.parse(chunks.map(({ data }) => data).join("")) as CallResult;
    },
  };
}
