import { flag, valueOption } from "@envs/cli/kit";
import {
  type HubClient,
  hubClient,
  type HubRequest,
  isHubRequestError,
  requestHub,
} from "@envs/hub-client";
import type * as z from "zod";

import { type CommandContext, processContext } from "../config/context.ts";
import { hubFetch } from "./hub-fetch.ts";
import { type Prompter, terminalPrompter } from "./prompter.ts";
import { type HubAddress, type HubSelector, resolveHub } from "./resolve-hub.ts";
import { notLoggedInError, readToken } from "./token-store.ts";

/** The options of every command that connects to a hub. */
export const hubArguments = {
  registry: valueOption("The hub (default: ENVS_HUB, or a scope's registry in .npmrc)", "url"),
  json: flag("Print one JSON object"),
} as const;

/** The option of every command that changes something on the hub. */
export const otpArgument = {
  otp: valueOption(
    "A one-time password from your authenticator app, if you use two-factor login",
    "code",
  ),
} as const;

/** A hub and the means to send requests to it. */
export interface Connection {
  readonly address: HubAddress;
  readonly url: string;
  readonly token: string | undefined;
  /** Calls the hub's own routes. */
  readonly client: HubClient;
  /** Calls one of npm's routes and validates the response. */
  readonly request: <Schema extends z.ZodType>(
    request: HubRequest,
    schema: Schema,
  ) => Promise<z.output<Schema>>;
}

/** How a connection sends its requests. */
interface RequestOptions {
  /** The command, such as `envs hub token create`: a user who must approve it reads its name. */
  readonly command: string;
  readonly token?: string | undefined;
  readonly otp?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly prompter?: Prompter | undefined;
}

/** Connects to a hub whose address is known. Does not send a request yet. */
export function connectTo(
  address: HubAddress,
  { command, token, otp, signal, prompter = terminalPrompter() }: RequestOptions,
): Connection {
  const { url } = address;
  const options = {
    url,
    token,
    fetch: hubFetch({ command, prompter, otp, signal }),
  };
  return {
    address,
    url,
    token,
    client: hubClient(options),
    request: (request, schema) => requestHub(options, request, schema),
  };
}

/** How a command selects its hub and sends its requests. */
interface ConnectOptions extends Omit<RequestOptions, "token">, HubSelector {
  readonly context?: CommandContext | undefined;
}

/** Finds the hub of a command and the user's token for it. */
export async function connect({
  context = processContext(),
  ...options
}: ConnectOptions): Promise<Connection> {
  const address = await resolveHub(context, options);
  const stored = await readToken(context, address);
  return connectTo(address, { ...options, token: stored?.token });
}

/** Connects as a logged-in user. Throws a `UsageError` if there is no token for the hub. */
export async function connectAsUser({
  context = processContext(),
  ...options
}: ConnectOptions): Promise<Connection & { readonly token: string }> {
  const connection = await connect({ ...options, context });
  const { token, address } = connection;
  if (token === undefined) throw notLoggedInError(context, address);
  return { ...connection, token };
}

/** Waits for a response of a hub. If its status is 404, returns or throws what `instead` does. */
export async function ifNotFound<Body, Instead>(
  response: Promise<Body>,
  instead: () => Instead,
): Promise<Body | Instead> {
  try {
    return await response;
  } catch (error) {
    if (isHubRequestError(error) && error.status === 404) return instead();
    throw error;
  }
}
