import { availableParallelism } from "node:os";

import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import pLimit from "p-limit";

import { diagnose, McpError } from "./errors.ts";
import { httpTransport } from "./http-transport.ts";
import { type Redactor, redactor } from "./redact.ts";
import { RunTransport } from "./run-transport.ts";
import { type McpServer, serverLabel } from "./server.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Time limits of a connection, in milliseconds. */
export interface Timeouts {
  /** The time limit of one tool call in milliseconds. Default 60,000. */
  readonly timeout?: number | undefined;
  /** The time limit of the server's start, and of listing its tools, in milliseconds. Default 60,000. */
  readonly startTimeout?: number | undefined;
}

const defaultTimeoutMs = 60_000;
/** A server that lists more pages than this repeats itself. */
const maxPages = 1000;

/** A start is half a second of a processor: more starts at once delay the first server, not the last. */
const startLimit = pLimit(2 * availableParallelism());

/** An open connection to a server. A broken connection does not recover. */
export class Connection {
  readonly server: McpServer;
  readonly redactor: Redactor;
  readonly #timeout: number;
  readonly #startTimeout: number;
  readonly #client: Client;
  readonly #transport: StdioTransport | RunTransport | ReturnType<typeof httpTransport>;
  #tools: Promise<readonly Tool[]> | undefined;
  #listedAt = 0;
  /** Why no further call is possible: the predicate of a sentence about the server. */
  problem: string | undefined;

  private constructor(server: McpServer, { timeout, startTimeout }: Timeouts) {
    this.server = server;
    this.redactor = redactor(server);
    this.#timeout = timeout ?? defaultTimeoutMs;
    this.#startTimeout = startTimeout ?? defaultTimeoutMs;
    const isRemote = "url" in server;
    this.#transport = transportOf(server);
    this.#client = new Client(
      { name: "envs", version: "0.0.0" },
      // Sends `initialize` first: every server knows it, and some exit after another first request.
      { listMaxPages: maxPages, versionNegotiation: { mode: isRemote ? "auto" : "legacy" } },
    );
    this.#client.onclose = () => (this.problem ??= this.#end ?? "closed the connection");
    this.#client.setNotificationHandler("notifications/tools/list_changed", () => {
      this.#tools = undefined;
    });
  }

  /** Starts or reaches the server, and waits until it has introduced itself. */
  static open(server: McpServer, timeouts: Timeouts, signal?: AbortSignal): Promise<Connection> {
    const open = async (): Promise<Connection> => {
      signal?.throwIfAborted();
      const connection = new Connection(server, timeouts);
      await connection.#connect(signal);
      return connection;
    };
    return "url" in server ? open() : startLimit(open);
  }

  /** The process that runs the server. */
  get pid(): number | undefined {
    return this.#program?.pid;
  }

  /** How long ago the tools were listed, in milliseconds. */
  get listAge(): number {
    return performance.now() - this.#listedAt;
  }

  /** All tools of the server. Listed once, and again after the server has reported a change. */
  tools(): Promise<readonly Tool[]> {
    if (this.#tools === undefined) {
      const listing = this.#list();
      this.#tools = listing;
      listing.catch(() => {
        if (this.#tools === listing) this.#tools = undefined;
      });
    }
    return this.#tools;
  }

  /** Lists the tools again when they are next asked for. */
  invalidateTools(): void {
    this.#tools = undefined;
  }

  /** Calls a tool. The signal and the timeout cancel the call at the server. */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<CallToolResult> {
    const timeout = this.#timeout;
    return this.#request({ operation: `answer the call of ${name}`, timeout, signal }, (options) =>
      this.#client.callTool({ name, arguments: input }, options),
    );
  }

  async close(): Promise<void> {
    this.problem ??= "was closed";
    if (this.#transport instanceof StreamableHTTPClientTransport)
      await this.#transport.terminateSession().catch(() => undefined);
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  async #connect(signal: AbortSignal | undefined): Promise<void> {
    const request = { operation: "start", timeout: this.#startTimeout, signal };
    try {
      await this.#request(request, (options) => this.#client.connect(this.#transport, options));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #list(): Promise<readonly Tool[]> {
    this.#listedAt = performance.now();
    const request = { operation: "list its tools", timeout: this.#startTimeout };
    return this.#request(request, async (options) => {
      const { tools } = await this.#client.listTools({}, { ...options, cacheMode: "refresh" });
      return tools;
    });
  }

  /** Names the server in errors, and remembers that the connection is broken. */
  async #request<Result>(
    { operation, timeout, signal }: McpRequest,
    send: (options: { timeout: number; signal?: AbortSignal }) => Promise<Result>,
  ): Promise<Result> {
    if (this.problem !== undefined) throw this.#error(this.problem);
    try {
      return await send({ timeout, ...(signal && { signal }) });
    } catch (error) {
      signal?.throwIfAborted();
      const { problem, isBroken, isRepeatable } = diagnose(error, operation, timeout);
      if (isBroken) this.problem ??= this.#end ?? problem;
      throw this.#error(this.problem ?? problem, { cause: error, isRepeatable });
    }
  }

  /** How the server's process ended; empty while it runs. */
  get #end(): string | undefined {
    return this.#program?.exit;
  }

  /** The transport of a server that is a program. */
  get #program(): StdioTransport | RunTransport | undefined {
    const transport = this.#transport;
    const isProgram = transport instanceof StdioTransport || transport instanceof RunTransport;
    return isProgram ? transport : undefined;
  }

  #error(problem: string, options: ConstructorParameters<typeof McpError>[1] = {}): McpError {
    const { server, redactor, problem: end } = this;
    const stderr = this.#program?.stderr.trim() ?? "";
    const output = end === undefined || stderr === "" ? "" : ` Its last output: ${stderr}`;
    return new McpError(
      redactor.diagnostic(`${serverLabel(server)} ${problem.replace(/\.$/u, "")}.${output}`),
      options,
    );
  }
}

interface McpRequest {
  readonly operation: string;
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

function transportOf(
  server: McpServer,
): StdioTransport | RunTransport | ReturnType<typeof httpTransport> {
  if ("url" in server) return httpTransport(server);
  return "run" in server ? new RunTransport(server) : new StdioTransport(server);
}
