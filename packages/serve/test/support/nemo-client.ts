type Json = Readonly<Record<string, unknown>>;

/** A response of the server. */
export interface NemoResponse {
  readonly status: number;
  readonly text: string;
  readonly type: string | null;
  readonly cookie: string | null;
  /** Throws if the body is not JSON. */
  readonly json: Record<string, unknown>;
}

/** An agent of NeMo Gym: posts JSON, and sends only the cookie of the last response. */
export function nemoClient(server: { readonly url: string }, environment: string) {
  let cookie: string | undefined;
  const send = async (path: string, init: RequestInit): Promise<NemoResponse> => {
    const headers = new Headers({ "content-type": "application/json" });
    if (cookie !== undefined) headers.set("cookie", `theme=dark; ${cookie}`);
    const response = await fetch(`${server.url}/nemo/${environment}/${path}`, {
      ...init,
      headers,
    });
    const text = await response.text();
    const setCookie = response.headers.get("set-cookie");
    cookie = setCookie?.split(";")[0];
    return {
      status: response.status,
      text,
      type: response.headers.get("content-type"),
      cookie: setCookie,
      get json() {
        return JSON.parse(text) as Record<string, unknown>;
      },
    };
  };
  return {
    post: (path: string, body: unknown = {}) =>
      send(path, { method: "POST", body: JSON.stringify(body) }),
    get: (path: string) => send(path, { method: "GET" }),
    setCookie: (value: string | undefined) => (cookie = value),
  };
}

/** The row of an example. */
export function rowOf(index: number, metadata: Json = {}): Json {
  return {
    responses_create_params: { input: [{ role: "user", content: "Hello." }] },
    verifier_metadata: { index, ...metadata },
  };
}

/** A message of the model in a Responses object. */
export function message(text: string): Json {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

/** A tool call in a Responses object. */
export function call(id: string, name: string, input: Json | string): Json {
  const json = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "function_call", call_id: id, name, arguments: json };
}

/** A tool output in a Responses object. */
export function output(id: string, text: string): Json {
  return { type: "function_call_output", call_id: id, output: text };
}

/** A row with a Responses object of these items. */
export function rowWithOutput(row: Json, ...items: readonly Json[]): Json {
  return { ...row, response: { id: "resp_1", object: "response", output: items } };
}
