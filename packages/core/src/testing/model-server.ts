import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import type { Model } from "../model.ts";
import { chatEndpoint, chatPath, pathOf } from "../node/chat-server/chat-endpoint.ts";
import type { ChatServer, ChatServerOptions } from "../node/chat-server/chat-server.ts";
import { send } from "../node/chat-server/http-reply.ts";
import { type Exchange, listen } from "../node/chat-server/listen.ts";
import type { Seed } from "../random.ts";
import { faultNames, type FaultName, type Faults, strikes, type When } from "./faults.ts";
import { failBefore, sendBadly } from "./misbehave.ts";
import { type Answer, asResponse } from "./reply.ts";

export interface ModelServerOptions extends ChatServerOptions {
  /** What the model says: a `Model`, or a function of the request. Default: it repeats the last message. */
  readonly answer?: Answer;
  /** What goes wrong, and when. Default: nothing. */
  readonly faults?: Faults;
  /** What the chances of faults are drawn from. Default 0. */
  readonly seed?: Seed;
}

/** A chat-completions server that misbehaves as it is told. */
export interface ModelServer extends ChatServer {
  /** May be set at any time; holds for the requests that come after. */
  faults: Faults;
  /** How many chat completions were asked for. */
  readonly requests: number;
  /** The most that were under way at once. */
  readonly maxConcurrent: number;
  /** How often each fault was at work. */
  readonly struck: Readonly<Record<FaultName, number>>;
}

/** Starts a real HTTP server of chat completions on loopback, for tests. */
export async function modelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { answer = repeatLast, seed = 0 } = options;
  const endpoint = chatEndpoint(asModel(answer), { name: nameOf(answer), ...options });
  let faults = options.faults ?? {};
  let setAt = 0;
  const bodies = new Set<string>();
  let requests = 0;
  let concurrent = 0;
  let maxConcurrent = 0;
  const struck = Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<
    FaultName,
    number
  >;

  const respond = async ({ request: incoming, response, signal }: Exchange): Promise<void> => {
    if (pathOf(incoming) !== chatPath) return send(response, await endpoint(incoming, signal));
    let request = incoming;
    let withNewBody: number | undefined;
    if (Object.values(faults).some((when?: When) => when?.retries === false)) {
      const body = await text(incoming);
      request = withBody(incoming, body);
      if (!bodies.has(body)) withNewBody = bodies.size;
      bodies.add(body);
    }
    const number = { total: requests, sinceSet: requests - setAt, withNewBody };
    requests += 1;
    concurrent += 1;
    maxConcurrent = Math.max(maxConcurrent, concurrent);
    response.once("close", () => (concurrent -= 1));
    const active = pickFaults(faults, (name, when) => strikes(when, number, [seed, name]));
    const note = (name: FaultName): void => void (struck[name] += 1);
    if (await failBefore(active, { request, response, signal }, note)) return;
    const reply = await endpoint(request, signal);
    if (!signal.aborted) await sendBadly(active, { reply, response, signal }, note);
  };

  const { origin, port, close } = await listen(respond, options);
  return {
    url: `${origin}/v1`,
    port,
    close,
    [Symbol.asyncDispose]: close,
    struck,
    get requests() {
      return requests;
    },
    get maxConcurrent() {
      return maxConcurrent;
    },
    get faults() {
      return faults;
    },
    set faults(next) {
      faults = next;
      setAt = requests;
      bodies.clear();
    },
  };
}

/** A request whose body can be read again. */
function withBody({ url, method, headers, socket }: IncomingMessage, body: string) {
  return Object.assign(Readable.from([Buffer.from(body)]), {
    url,
    method,
    headers,
    socket,
  }) as unknown as IncomingMessage;
}

const repeatLast: Answer = ({ messages }) => messages.at(-1)?.content ?? "";

function nameOf(answer: Answer): string {
  return (answer as Model).id ?? "model";
}

/** Counts four characters as a token where the answer counts none, for real servers always tell. */
function asModel(answer: Answer): Model {
  return async (request) => {
    const response = asResponse(await answer(request));
    const read = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    const written = response.message.content.length;
    const usage = { inputTokens: Math.ceil(read / 4), outputTokens: Math.ceil(written / 4) };
    return { usage, ...response };
  };
}

function pickFaults(
  faults: Faults,
  isStruck: (name: FaultName, when: NonNullable<Faults[FaultName]>) => boolean,
): Faults {
  const entries = Object.entries(faults) as [FaultName, Faults[FaultName]][];
  return Object.fromEntries(
    entries.filter(([name, when]) => when !== undefined && isStruck(name, when)),
  );
}
