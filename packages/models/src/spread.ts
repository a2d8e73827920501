import type { ModelRequest } from "@envs/core";
import { now } from "@envs/core/engine";

import { retryDelay } from "./http/retry.ts";
import { ServerError } from "./http/server-error.ts";
import type { WireClient } from "./wire/wire-client.ts";

/** The use of one of several servers. */
export interface ServerUse {
  /** The server's address, without its query. */
  readonly server: string;
  /** The requests sent, with those that failed. */
  readonly requests: number;
  /** The requests that another server, or a later retry, had to answer. */
  readonly failures: number;
  /** The message of the last failure. */
  readonly lastFailure?: string | undefined;
}

/** Several servers that act as one. */
export interface Spread extends Pick<WireClient, "ask"> {
  readonly use: () => readonly ServerUse[];
}

interface State {
  readonly server: WireClient;
  /** Requests without a response. */
  load: number;
  requests: number;
  failures: number;
  /** The number of failures since the last response, and the last failure. */
  failuresInRow: number;
  lastError: ServerError | undefined;
  /** The time until which a failed server gets no request if another can answer. */
  backoffUntil: number;
}

/** The maximum number of sessions whose server is remembered. A forgotten session only loses its cached prefix. */
const maxSessions = 65_536;

/** A session leaves its server if the server has this many more open requests than the least busy one, and 1.5 times as many. */
const maxImbalance = 16;

/**
 * Sends each request to the server with the fewest open requests, and later requests of a session to the same server. A server
 * that fails gets no requests for a while, with exponential backoff or for its `Retry-After`; then a single request tries it. A
 * request that fails on one server is sent to the others, and fails only if all of them fail.
 */
export function spread(servers: readonly WireClient[]): Spread {
  const states = servers.map(initialState);
  const sessions = new Map<string, State>();

  const select = (request: ModelRequest, tried: ReadonlySet<State>): State | undefined => {
    const { session } = request;
    const usable = states.filter((state) => !tried.has(state) && isUsable(state));
    // Without a usable server, the first attempt goes to the one whose backoff ends first.
    const candidates = usable.length > 0 || tried.size > 0 ? usable : [soonest(states)];
    const least = leastBusy(candidates);
    const previous = session === undefined ? undefined : sessions.get(session);
    const keeps =
      previous !== undefined &&
      least !== undefined &&
      candidates.includes(previous) &&
      !(previous.load > least.load + maxImbalance && previous.load > 1.5 * least.load);
    const selected = keeps ? previous : least;
    if (session !== undefined && selected !== undefined) remember(sessions, session, selected);
    return selected;
  };

  return {
    async ask(request) {
      const tried = new Set<State>();
      for (;;) {
        const state = select(request, tried);
        if (state === undefined) throw allFailed(states, tried);
        tried.add(state);
        state.load += 1;
        state.requests += 1;
        const { failuresInRow } = state;
        try {
          const response = await state.server.ask(request);
          state.failuresInRow = 0;
          return response;
        } catch (error) {
          if (!isAnsweredElsewhere(error)) throw error;
          state.failures += 1;
          state.lastError = error;
          // Counts several requests that fail in one outage once.
          state.failuresInRow = Math.max(state.failuresInRow, failuresInRow + 1);
          state.backoffUntil = now() + retryDelay(error.headers, failuresInRow, request.seed ?? 0);
        } finally {
          state.load -= 1;
        }
      }
    },
    use: () =>
      states.map(({ server, requests, failures, lastError }) => ({
        server: server.address,
        requests,
        failures,
        lastFailure: lastError?.message,
      })),
  };
}

function initialState(server: WireClient): State {
  const counts = { load: 0, requests: 0, failures: 0, failuresInRow: 0 };
  return { server, ...counts, lastError: undefined, backoffUntil: 0 };
}

function isUsable({ failuresInRow, load, backoffUntil }: State): boolean {
  return failuresInRow === 0 || (load === 0 && now() >= backoffUntil);
}

function soonest(states: readonly State[]): State {
  return states.reduce((best, state) => (state.backoffUntil < best.backoffUntil ? state : best));
}

function leastBusy(states: readonly State[]): State | undefined {
  return states.toSorted(
    (left, right) => left.load - right.load || left.requests - right.requests,
  )[0];
}

/** Stores the server of a session, and drops the least recently used session above the maximum. */
function remember(sessions: Map<string, State>, session: string, state: State): void {
  sessions.delete(session);
  sessions.set(session, state);
  if (sessions.size <= maxSessions) return;
  for (const oldest of sessions.keys()) {
    sessions.delete(oldest);
    return;
  }
}

function isAnsweredElsewhere(error: unknown): error is ServerError {
  return (
    error instanceof ServerError && (error.kind === "transient" || error.kind === "unreachable")
  );
}

/** Names each server with its last failure. */
function allFailed(states: readonly State[], tried: ReadonlySet<State>): ServerError {
  const errors = states.flatMap(({ lastError }) => lastError ?? []);
  const [status, ...statuses] = new Set(errors.map((error) => error.status));
  const isUnreachable = errors.every(({ kind }) => kind === "unreachable");
  const skipped = states.length - tried.size;
  const others = skipped === 0 ? "" : ` (${skipped} of them after earlier failures)`;
  const wait = Math.max(0, Math.min(...states.map(({ backoffUntil }) => backoffUntil)) - now());
  return new ServerError(
    isUnreachable ? "unreachable" : "transient",
    `None of the ${states.length} servers answered${others}. ${errors.map(({ message }) => message).join(" ")}`,
    {
      headers: { "retry-after-ms": String(Math.ceil(wait)) },
      status: statuses.length === 0 ? status : undefined,
    },
  );
}
