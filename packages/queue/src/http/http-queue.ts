import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import * as z from "zod";

import { type LeaseKey, type Lease, QueueUnavailableError, type WorkerQueue } from "../queue.ts";
import {
  type Requests,
  type Responses,
  responses,
  type SignedLease,
  type Ticket,
} from "./messages.ts";

/** The time limits of requests in milliseconds. The long ones are for large bodies on slow links, or for waiting for work. */
const timeouts: Readonly<Record<keyof Requests, number>> = {
  "/v1/lease": 120_000,
  "/v1/heartbeat": 15_000,
  "/v1/complete": 600_000,
  "/v1/fail": 30_000,
  "/v1/release": 120_000,
  "/v1/leave": 5000,
};

/**
 * The queue of a server that `envs queue serve` started, such as `https://queue.example.com:8470`, for a host with a token. Calls
 * reject with a {@link QueueUnavailableError} while the server cannot be reached.
 */
export function httpQueue(address: string, token: string): WorkerQueue {
  const server = readAddress(address);

  const call = async <Path extends keyof Requests>(
    path: Path,
    body: Requests[Path],
    signal?: AbortSignal,
  ): Promise<Responses[Path]> => {
    const timeout = AbortSignal.timeout(timeouts[path]);
    const response = await post(new URL(`.${path}`, server), {
      body: JSON.stringify(body),
      token,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const parsed = responses[path].safeParse(response);
    if (parsed.success) return parsed.data;
    throw new QueueUnavailableError(
      `${server.origin} is not a queue, or one of another version: ${z.prettifyError(parsed.error)}`,
    );
  };

  return {
    async lease({ signal, ...request }) {
      try {
        return await call("/v1/lease", request, signal);
      } catch (error) {
        if (signal.aborted) return { leases: [], runs: [] };
        throw error;
      }
    },
    async heartbeat(report, leases) {
      const keys = leases.map((lease) => {
        const { id, attempt, runId, ticket } = lease as LeaseKey & Ticket;
        return { id, attempt, runId, ticket };
      });
      return await call("/v1/heartbeat", { report, leases: keys });
    },
    complete: async (lease, rows) =>
      void (await call("/v1/complete", { lease: signed(lease), rows })),
    fail: async (lease, reason) =>
      void (await call("/v1/fail", { lease: signed(lease), reason: reason.slice(0, 10_000) })),
    release: async (leases) =>
      void (leases.length > 0 && (await call("/v1/release", { leases: leases.map(signed) }))),
    leave: async (worker) => void (await call("/v1/leave", { worker })),
    async [Symbol.asyncDispose]() {},
  };
}

/** Workers pass on the leases that they received, which contain the tickets. */
function signed(lease: Lease): SignedLease {
  return lease as SignedLease;
}

interface Post {
  readonly body: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

async function post(url: URL, { body, token, signal }: Post): Promise<unknown> {
  const unavailable = (reason: string, cause?: unknown): QueueUnavailableError =>
    new QueueUnavailableError(`Cannot reach the queue at ${url.origin}: ${reason}`, { cause });
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
      signal,
      redirect: "error",
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const { status } = response;
    const detail = detailOf(text);
    if (status >= 500 || status === 408 || status === 429) throw unavailable(`${status} ${detail}`);
    if (status === 401)
      throw new ConfigError(
        `The queue at ${url.origin} rejected the token: ${detail} Set ENVS_QUEUE_TOKEN to the token of this host, which envs queue token created.`,
      );
    throw new Error(`The queue at ${url.origin} refused the request (${status}): ${detail}`);
  } catch (error) {
    const isNetwork = error instanceof TypeError || error instanceof SyntaxError || signal.aborted;
    if (!isNetwork) throw error;
    const { cause } = error as Error;
    throw unavailable(messageOf(cause ?? error), error);
  }
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === "string" ? detail : text.slice(0, 300);
  } catch {
    return text.slice(0, 300);
  }
}

function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search !== ""
  )
    throw new ConfigError(
      `The address of the queue is not valid. Write it without a user name, password or query, such as https://queue.example.com:8470. The token belongs in ENVS_QUEUE_TOKEN.`,
    );
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
