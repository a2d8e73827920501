import { ConfigError, type Sampling } from "@envs/core";
import { omitUndefined, redactUrl, splitUrls } from "@envs/core/engine";

import type { ServerContext } from "../http/server-error.ts";

/** The settings of a model on a server, whatever its wire format. */
export interface ServerOptions {
  /**
   * The server's address, as the provider's own SDK takes it; several addresses, as a list or with commas, of servers of the same
   * model. Default: the variable that this SDK reads, such as `OPENAI_BASE_URL`, else the provider's API.
   */
  readonly baseURL?: string | readonly string[] | undefined;
  /** Default: the variable that the provider's SDK reads, such as `OPENAI_API_KEY`. Not required with a base URL. */
  readonly apiKey?: string | undefined;
  /** Defaults for the run's sampling. */
  readonly sampling?: Sampling | undefined;
  /** The maximum number of concurrent requests. Default: the run's concurrency. */
  readonly concurrency?: number | undefined;
  /** How many times to retry after a transient error: 408, 409, 429, 5xx, a network error, an invalid response. Default 4. */
  readonly retries?: number | undefined;
  /** The time limit of one request, in milliseconds. Default 600,000. */
  readonly timeout?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional fields of the request's body. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Whether to send the model's earlier reasoning back to it. Default false: most servers drop it, or accept only their own. */
  readonly keepReasoning?: boolean | undefined;
}

/** The parts of a request that are the same for each turn. */
export interface ServerTarget {
  /** The base URL. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: string;
  /** The server's address for messages. */
  readonly server: string;
}

/** The servers of a wire format. */
export interface WireServer extends Required<Pick<ServerContext, "api" | "addressHint">> {
  /** The variables that the provider's own SDK reads. */
  readonly baseURLVariable: string;
  readonly apiKeyVariable: string;
  /** The base URL of the provider. */
  readonly defaultURL: string;
  /** Adds the version of the API to the path of a base URL that lacks it. Default: the path is complete. */
  readonly versionedPath?: ((path: string) => string) | undefined;
  /** The headers with the key, and others of the provider. */
  readonly headers: (
    apiKey: string,
    variable: (name: string) => string | undefined,
  ) => Readonly<Record<string, string | undefined>>;
}

/**
 * Reads addresses, key and headers from the options and the environment's variables: one target for each server. Throws a
 * `ConfigError` if one is invalid.
 */
export function serverTargets(
  name: string,
  server: WireServer,
  options: ServerOptions,
): readonly ServerTarget[] {
  const addresses = ownAddresses(server, options);
  if (addresses === undefined) return [serverTarget(name, undefined, server, options)];
  if (addresses.length === 0)
    throw new ConfigError(`The list of base URLs of ${name} is empty. Write at least one address.`);
  const targets = addresses.map((address) => serverTarget(name, address, server, options));
  const twice = targets.find(({ url }, i) =>
    targets.some((other, j) => j < i && other.url.href === url.href),
  );
  if (twice === undefined) return targets;
  throw new ConfigError(`The base URL ${twice.server} is listed twice. Remove one of them.`);
}

/** The addresses that the options or a variable name, else the provider's. Without user names and queries. */
export function serverAddresses(server: WireServer, options: ServerOptions): readonly string[] {
  return (ownAddresses(server, options) ?? [server.defaultURL]).flatMap((address) => {
    const url = URL.parse(address);
    return url === null ? [] : [`${url.origin}${url.pathname}`];
  });
}

function ownAddresses(
  { baseURLVariable }: WireServer,
  { baseURL }: ServerOptions,
): readonly string[] | undefined {
  const own = baseURL ?? variable(baseURLVariable);
  return typeof own === "string" ? splitUrls(own) : own;
}

function serverTarget(
  name: string,
  address: string | undefined,
  server: WireServer,
  options: ServerOptions,
): ServerTarget {
  const { apiKeyVariable, defaultURL, versionedPath } = server;
  const apiKey = (options.apiKey ?? variable(apiKeyVariable))?.trim() || undefined;
  if (apiKey === undefined && address === undefined)
    throw new ConfigError(
      `The model ${name} requires an API key. Set the variable ${apiKeyVariable}, or set the base URL of a server without keys.`,
    );
  const url = readBaseURL(address ?? defaultURL);
  const shown = address === undefined ? "the API" : `${url.origin}${url.pathname}`;
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = versionedPath?.(path) ?? path;
  const more = Object.entries(options.headers ?? {}).map(([key, value]) => [
    key.toLowerCase(),
    value,
  ]);
  const headers = omitUndefined({
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "envs",
    ...server.headers(apiKey ?? "none", variable),
  });
  return {
    url,
    server: shown,
    apiKey: apiKey ?? "none",
    headers: { ...headers, ...(Object.fromEntries(more) as Record<string, string>) },
  };
}

function readBaseURL(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ConfigError(
      `The base URL ${JSON.stringify(redactUrl(text))} is not valid. Write an address such as http://localhost:8000/v1.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new ConfigError(
      `The base URL of ${url.host} contains a user name or a password. Pass them in an authorization header instead.`,
    );
  if (url.pathname.includes(","))
    throw new ConfigError(
      `The base URL ${JSON.stringify(redactUrl(text))} contains a comma. Begin each of several addresses with http:// or https://, and write a comma of an address as %2C.`,
    );
  return url;
}

/** The address of a call below a base URL, whose query it keeps. */
export function callURL(base: URL, path: string): URL {
  const url = new URL(base);
  const [pathname = "", query = ""] = path.split("?", 2);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${pathname}`;
  for (const [key, value] of new URLSearchParams(query)) url.searchParams.set(key, value);
  return url;
}

/** Reads a variable of the process; `undefined` if it is empty, and in browsers. */
export function variable(name: string): string | undefined {
  return (typeof process === "undefined" ? undefined : process.env[name]) || undefined;
}
