type Json = Readonly<Record<string, unknown>>;

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string | null;
  readonly cookie: string | null;
  /** Throws if the answer is no JSON. */
  readonly json: Record<string, unknown>;
}

/** An agent's side of NeMo Gym: posts JSON, with no other cookie than the last answer has set. */
export function nemoClient(server: { readonly url: string }, environment: string) {
  let cookie: string | undefined;
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}/nemo/${environment}/${path}`, {
      ...init,
      headers: {
        "content-type": "application/json",
        ...(cookie === undefined ? {} : { cookie: `theme=dark; ${cookie}` }),
      },
    });
    const text = await response.text();
    const set = response.headers.get("set-cookie");
    cookie = set?.split(";")[0];
    return {
      status: response.status,
      text,
      type: response.headers.get("content-type"),
      cookie: set,
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
export function rowOf(index: number, more: Json = {}): Json {
  return {
    responses_create_params: { input: [{ role: "user", content: "Hello." }] },
    verifier_metadata: { index, ...more },
  };
}

/** A Responses object's message of the model. */
export function message(text: string): Json {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

/** A call of a tool, in a Responses object. */
export function call(id: string, name: string, input: Json | string): Json {
  const written = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "function_call", call_id: id, name, arguments: written };
}

/** The answer to a call. */
export function output(id: string, text: string): Json {
  return { type: "function_call_output", call_id: id, output: text };
}

/** A row with a Responses object of these items. */
export function answering(row: Json, ...items: readonly Json[]): Json {
  return { ...row, response: { id: "resp_1", object: "response", output: items } };
}
