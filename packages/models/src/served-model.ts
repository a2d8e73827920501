import { type Model, type ModelRequest, type ModelResponse, RolloutError } from "@envs/core";
import pLimit from "p-limit";

import { retryTransient } from "./http/retry.ts";
import { ServerError } from "./http/server-error.ts";
import { type ServerUse, spread, type Spread } from "./spread.ts";
import { serverAddresses, type ServerOptions, serverTargets } from "./wire/server-target.ts";
import { wireClient } from "./wire/wire-client.ts";
import type { Wire } from "./wire/wire.ts";

/** A model on one or several servers. */
export interface ServedModel extends Model {
  /** The use of each of several servers so far; empty for a single server. */
  readonly serverUse: () => readonly ServerUse[];
}

interface Servers extends Spread {
  readonly apiKey: string;
}

/** Creates a model on a server with this wire format, or on several servers of the same model. */
export function servedModel<Options extends ServerOptions>(
  name: string,
  wire: Wire<Options>,
  options: Options,
): ServedModel {
  const { concurrency, retries = 4 } = options;
  const limit = concurrency === undefined ? undefined : pLimit(concurrency);
  let servers: Servers | undefined;

  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    const current = (servers ??= connect(name, wire, options));
    try {
      return await retryTransient(request, retries, () => current.ask(request));
    } catch (error) {
      throw error instanceof ServerError ? asRolloutError(error, current.apiKey) : error;
    }
  };
  const model: Model = limit === undefined ? ask : (request) => limit(ask, request);
  return Object.assign(model, {
    id: name,
    baseURLs: () => serverAddresses(wire.server, options),
    settings: settingsOf(wire, options),
    check: () => void serverTargets(name, wire.server, options),
    serverUse: () => (servers === undefined ? [] : serverUse(servers)),
  });
}

const connection: ReadonlySet<string> = new Set<keyof ServerOptions>([
  "baseURL",
  "apiKey",
  "concurrency",
  "retries",
  "timeout",
  "headers",
]);

/** The options that change what is asked, without those of the connection. */
function settingsOf<Options extends ServerOptions>(
  { dialect }: Wire<Options>,
  options: Options,
): Model["settings"] {
  const settings = Object.entries(options).filter(
    ([name, value]) => !connection.has(name) && value !== undefined,
  );
  return { dialect, ...Object.fromEntries(settings) };
}

/** Reads the addresses, with the first request or check: a variable may be set later than the model is made. */
function connect<Options extends ServerOptions>(
  name: string,
  wire: Wire<Options>,
  options: Options,
): Servers {
  const targets = serverTargets(name, wire.server, options);
  const servers = targets.map((target) => wireClient(name, wire, target, options));
  const [{ apiKey } = { apiKey: "" }] = targets;
  const [only] = servers;
  return only !== undefined && servers.length === 1
    ? { apiKey, ask: only.ask, use: () => [] }
    : { apiKey, ...spread(servers) };
}
function serverUse({ use, apiKey }: Servers): readonly ServerUse[] {
  return use().map(({ server, requests, failures, lastFailure }) => ({
    server,
    requests,
    failures,
    lastFailure: lastFailure && withoutKey(lastFailure, apiKey),
  }));
}

/** Some servers repeat the API key in their messages. */
function withoutKey(message: string, apiKey: string): string {
  return apiKey.length < 8 ? message : message.replaceAll(apiKey, "[API key]");
}

function asRolloutError(
  { kind, message, cause, status }: ServerError,
  apiKey: string,
): RolloutError {
  return new RolloutError("model", withoutKey(message, apiKey), {
    cause,
    status,
    isFatal: kind === "fatal" || kind === "unreachable",
    isOverflow: kind === "overflow",
  });
}
