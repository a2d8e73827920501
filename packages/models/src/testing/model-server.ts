import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";

import { type Model, type Seed, textOf } from "@envs/core";
import { type ReplyFunction, scriptedModel } from "@envs/core/testing";

import {
  chatEndpoint,
  chatPath,
  type ChatServer,
  type ChatServerOptions,
  pathOf,
} from "../server/chat-server.ts";
import { send } from "../server/http-reply.ts";
import { type Exchange, listen } from "../server/listen.ts";
import { applyBeforeResponse, sendWithFaults } from "./apply-faults.ts";
import {
  type FaultCondition,
  type FaultName,
  faultNames,
  type Faults,
  isAffected,
} from "./faults.ts";

export interface ModelServerOptions extends ChatServerOptions {
  /** A `Model`, or a function that returns a reply. Default: repeats the last message. */
  readonly answer?: ReplyFunction | undefined;
  /** Default: none. */
  readonly faults?: Faults | undefined;
  /** The seed of the faults' `chance`. Default 0. */
  readonly seed?: Seed | undefined;
}

/** A chat-completions server with faults. */
export interface ModelServer extends ChatServer {
  /** Can be set at any time, and affects later requests. */
  faults: Faults;
  /** The number of requests for chat completions. */
  readonly requests: number;
  /** The maximum number of concurrent requests so far. */
  readonly maxConcurrent: number;
  /** How many times each fault was applied. */
  readonly faultCounts: Readonly<Record<FaultName, number>>;
}

/** Starts an HTTP server of chat completions on the loopback interface, for tests. */
export async function modelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { answer = repeatLast, seed = 0 } = options;
  const endpoint = chatEndpoint(asModel(answer), { name: nameOf(answer), ...options });
  let faults = options.faults ?? {};
  let setAt = 0;
  const bodies = new Set<string>();
  let requests = 0;
  let concurrent = 0;
  let maxConcurrent = 0;
  const faultCounts = Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<
    FaultName,
    number
  >;

  const respond = async ({ request: incoming, response, signal }: Exchange): Promise<void> => {
    if (pathOf(incoming) !== chatPath) return send(response, await endpoint(incoming, signal));
    let request = incoming;
    let withNewBody: number | undefined;
    if (Object.values(faults).some((condition?: FaultCondition) => condition?.retries === false)) {
      const body = await readText(incoming);
      request = withBody(incoming, body);
      if (!bodies.has(body)) withNewBody = bodies.size;
      bodies.add(body);
    }
    const number = { total: requests, sinceSet: requests - setAt, withNewBody };
    requests += 1;
    concurrent += 1;
    maxConcurrent = Math.max(maxConcurrent, concurrent);
    response.once("close", () => (concurrent -= 1));
    const active = selectFaults(faults, (name, condition) =>
      isAffected(condition, number, [seed, name]),
    );
    const count = (name: FaultName): void => void (faultCounts[name] += 1);
    if (await applyBeforeResponse(active, { request, response, signal }, count)) return;
    const reply = await endpoint(request, signal);
    if (!signal.aborted) await sendWithFaults(active, { reply, response, signal }, count);
  };

  const { origin, port, close } = await listen(respond, options);
  return {
    url: `${origin}/v1`,
    port,
    close,
    [Symbol.asyncDispose]: close,
    faultCounts,
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

/** Creates a request whose body can be read again. */
function withBody({ url, method, headers, socket }: IncomingMessage, body: string) {
  return Object.assign(Readable.from([Buffer.from(body)]), {
    url,
    method,
    headers,
    socket,
  }) as unknown as IncomingMessage;
}

const repeatLast: ReplyFunction = ({ messages }) => textOf(messages.at(-1)?.content ?? "");

function nameOf(answer: ReplyFunction): string {
  return (answer as Model).id ?? "model";
}

/** Adds a usage of one token per four characters to a reply without usage, because real servers always report it. */
function asModel(answer: ReplyFunction): Model {
  const scripted = scriptedModel(answer);
  return async (request) => {
    const response = await scripted(request);
    const input = request.messages.reduce((sum, { content }) => sum + textOf(content).length, 0);
    const output = response.message.content.length;
    const estimate = { inputTokens: Math.ceil(input / 4), outputTokens: Math.ceil(output / 4) };
    return { ...response, usage: response.usage ?? estimate };
  };
}

function selectFaults(
  faults: Faults,
  isSelected: (name: FaultName, condition: NonNullable<Faults[FaultName]>) => boolean,
): Faults {
  const entries = Object.entries(faults) as [FaultName, Faults[FaultName]][];
  return Object.fromEntries(
    entries.filter(([name, condition]) => condition !== undefined && isSelected(name, condition)),
  );
}
