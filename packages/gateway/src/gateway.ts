import type { IncomingHttpHeaders } from "node:http";

import type { AgentCall } from "@envs/core/engine";
import {
  type Exchange,
  HttpError,
  json,
  listen,
  type ListenOptions,
  readBody,
  send,
} from "@envs/models/server";

import type { AgentTools } from "./agent/agent-tools.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { dialects } from "./dialects/dialects.ts";
import { wireError } from "./dialects/wire-error.ts";
import { answerMcp } from "./mcp.ts";
import { sendStream } from "./send-stream.ts";
import type { SessionOptions } from "./session-options.ts";
import { Session } from "./session.ts";
import { targetOf } from "./target.ts";

export interface GatewayOptions extends ListenOptions {
  /** The maximum size of a request's body. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** The milliseconds between keep-alive events on a stream whose model has not replied. Default 10,000. */
  readonly keepAliveInterval?: number | undefined;
  /**
   * The milliseconds that a call continues after its client has disconnected. SDKs repeat a request half a second after its
   * connection broke, and then receive the reply of the same call. Default 1,000.
   */
  readonly retryGrace?: number | undefined;
  /** Called with each error that neither the agent nor the model caused. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The model calls of one rollout, and where its agent sends them. */
export interface GatewaySession
  extends Disposable, Readonly<Pick<Session, "failure" | "stopReason" | "close">> {
  /** The base URL for clients of Anthropic and Google. It contains the secret, for programs that cannot set a key. */
  readonly origin: string;
  /** The base URL for clients of OpenAI: it ends in `/v1`. */
  readonly baseURL: string;
  /** The secret of the rollout. */
  readonly apiKey: string;
  /** The calls that the model has answered, in order. */
  readonly calls: readonly AgentCall[];
}

/** A running gateway. */
export interface Gateway extends AsyncDisposable {
  /** Scheme, host and port. Clients that set a session's key need no other path. */
  readonly origin: string;
  readonly port: number;
  /** Starts the session of a rollout. */
  readonly open: (options: SessionOptions) => GatewaySession;
  /** Ends all sessions, and stops listening. */
  readonly close: () => Promise<void>;
}

/**
 * Starts an HTTP server that agents use as their model provider: OpenAI's chat completions and Responses, Anthropic's Messages,
 * Google's generateContent. Only this machine can reach it, unless `host` says otherwise.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { maxBodyBytes = 64 * 2 ** 20, keepAliveInterval = 10_000 } = options;
  const { retryGrace = 1_000, onError } = options;
  const sessions = new Map<string, Session>();

  const respond = async (exchange: Exchange): Promise<void> => {
    const { request, response, signal } = exchange;
    const target = targetOf(request);
    if (target === undefined)
      return send(response, dialects[0]!.encodeError(unknownPath(request.url ?? "")));
    const dialect = dialectOf(target.path);
    const kind = dialect.match(target.path);
    try {
      if (target.path === "/health") return send(response, json(200, { status: "ok" }));
      const session = sessions.get(target.secret);
      if (session === undefined)
        throw new HttpError(401, "The API key is not that of a rollout.", {
          code: "invalid_api_key",
        });
      const isMcp = target.path === "/mcp";
      if (request.method === "GET" && /^\/models(?:\/|$)/u.test(target.path) && kind === undefined)
        return send(response, modelList(session.models));
      if ((kind === undefined && !isMcp) || kind === "other") throw unknownPath(target.path);
      // MCP's answer to clients that ask for a stream with GET, or end a session with DELETE: it offers neither.
      if (request.method !== "POST")
        throw new HttpError(405, `${target.path} supports POST only.`, {
          headers: { allow: "POST" },
        });
      if (isMcp)
        return send(
          response,
          await answerMcp(
            await readBody(request, maxBodyBytes),
            toolsFor(target.query, session.tools),
          ),
        );
      const { path, query } = target;
      const { headers } = request;
      const call = { path, query, headers, body: await readBody(request, maxBodyBytes) };
      if (kind === "count")
        return send(response, dialect.encodeCount!(session.count(dialect, call)));
      const pending = session.call(dialect, call, { isRetry: isRetry(headers) });
      const reply = pending.join(signal);
      if (pending.isStream)
        await sendStream(exchange, { dialect, pending, reply, keepAliveInterval });
      else send(response, await reply);
    } catch (error) {
      if (signal.aborted) return;
      const wire = wireError(error);
      if (wire.status === 500) onError?.(error);
      send(response, dialect.encodeError(wire));
    }
  };

  const server = await listen(respond, options);
  const open = (sessionOptions: SessionOptions): GatewaySession => {
    const session = new Session(sessionOptions, { retryGrace });
    sessions.set(session.secret, session);
    const origin = `${server.origin}/rollouts/${session.secret}`;
    const close = (): void => {
      sessions.delete(session.secret);
      session.close();
    };
    return {
      origin,
      baseURL: `${origin}/v1`,
      apiKey: session.secret,
      calls: session.calls,
      get failure() {
        return session.failure;
      },
      get stopReason() {
        return session.stopReason;
      },
      close,
      [Symbol.dispose]: close,
    };
  };
  const close = async (): Promise<void> => {
    for (const session of sessions.values()) session.close();
    sessions.clear();
    await server.close();
  };
  return { origin: server.origin, port: server.port, open, close, [Symbol.asyncDispose]: close };
}

/** The tools of an MCP client. One in a machine leaves those out that it has itself: `?without=bash,edit`. */
function toolsFor(query: URLSearchParams, tools: AgentTools): AgentTools {
  const without = new Set(query.get("without")?.split(","));
  return Object.fromEntries(Object.entries(tools).filter(([name]) => !without.has(name)));
}

/** The dialect of a path. Requests with an unknown path receive errors of OpenAI's format. */
function dialectOf(path: string): Dialect {
  return dialects.find(({ match }) => match(path) !== undefined) ?? dialects[0]!;
}

/** OpenAI's and Anthropic's SDKs count their retries. */
function isRetry(headers: IncomingHttpHeaders): boolean {
  return Number(headers["x-stainless-retry-count"] ?? 0) > 0;
}

function unknownPath(path: string): HttpError {
  return new HttpError(
    404,
    `The gateway does not serve ${path}. Use /v1/chat/completions, /v1/responses, /v1/embeddings, /v1/messages or /v1beta/models/<model>:generateContent.`,
  );
}

/** The list of models, which some agents request first. */
function modelList(names: readonly string[]) {
  const dates = { created: 0, created_at: "1970-01-01T00:00:00Z", owned_by: "envs" };
  return json(200, {
    object: "list",
    data: names.map((id) => ({ id, object: "model", type: "model", display_name: id, ...dates })),
    has_more: false,
    first_id: names[0],
    last_id: names.at(-1),
    models: names.map((name) => ({ name: `models/${name}` })),
  });
}
