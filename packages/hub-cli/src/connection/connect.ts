import { type HubClient, hubClient, type HubRequest, requestHub } from "@envs/hub-client";
import type * as z from "zod";

import { here, type Place } from "../config/context.ts";
import { type HubAddress, type WantedHub, whichHub } from "./hub-address.ts";
import { hubFetch } from "./hub-fetch.ts";
import { type Person, whoIsHere } from "./prompter.ts";
import { findToken, notLoggedIn } from "./token-store.ts";

/** The options of every command that speaks with a hub. */
export const hubArguments = {
  registry: {
    type: "string",
    description: "The hub (default: ENVS_HUB, or the line of a scope in .npmrc)",
    valueHint: "url",
  },
  json: { type: "boolean", description: "Print one JSON object" },
} as const;

/** For commands that change something. */
export const otpArgument = {
  otp: {
    type: "string",
    description: "The one-time password that your app shows, if you have a second factor",
    valueHint: "code",
  },
} as const;

/** A hub, and how to ask it. */
export interface Connection {
  readonly address: HubAddress;
  readonly url: string;
  readonly token: string | undefined;
  readonly client: HubClient;
  /** Asks by one of npm's routes. */
  readonly ask: <Answer extends z.ZodType>(
    request: HubRequest,
    answer: Answer,
  ) => Promise<z.output<Answer>>;
}

/** How requests are made. */
export interface WayToAsk {
  /** The command, for whoever is asked to approve it. */
  readonly command: string;
  readonly token?: string | undefined;
  readonly otp?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly person?: Person;
}

/** Connects with a hub that is known. */
export function connectTo(address: HubAddress, way: WayToAsk): Connection {
  const { command, token, otp, signal, person = whoIsHere() } = way;
  const { url } = address;
  const options = {
    url,
    fetch: hubFetch({ command, person, otp, signal }),
    ...(token !== undefined && { token }),
  };
  return {
    address,
    url,
    token,
    client: hubClient(options),
    ask: (request, answer) => requestHub(options, request, answer),
  };
}

/** What a command line says of the hub. */
export interface ConnectOptions extends Omit<WayToAsk, "token">, WantedHub {
  readonly place?: Place;
}

/** Finds the hub that a command is about, and the token for it. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { place = here(), ...way } = options;
  const address = await whichHub(place, options);
  const found = await findToken(place, address);
  return connectTo(address, { ...way, token: found?.token });
}

/** The same, for a command that only somebody who is logged in can use. */
export async function connectAsUser(
  options: ConnectOptions,
): Promise<Connection & { readonly token: string }> {
  const { place = here() } = options;
  const connection = await connect({ ...options, place });
  const { token, address } = connection;
  if (token === undefined) throw notLoggedIn(place, address);
  return { ...connection, token };
}
