import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import * as z from "zod";

import type { Backend } from "../../src/index.ts";
import { decodeForwardRequest, encodeResult, protobufType } from "./protobuf-dialect.ts";
import { type Request, requestSchemas, type Route } from "./request-schemas.ts";
import { RequestError, ServiceOperations } from "./service-operations.ts";

/** A fault of one response. */
export interface Fault {
  readonly route: Route;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Closes the connection without a response. */
  readonly closesConnection?: boolean;
  /** Performs the operation before the fault. */
  readonly performsOperation?: boolean;
}

export interface TinkerServerOptions {
  readonly baseModel?: string;
  readonly apiKey?: string;
  /** Number of polls before a result is available. Default 1. */
  readonly pending?: number;
  readonly losses?: readonly string[];
  /** Stores the sampler's weights and returns their path. */
  readonly byPath?: boolean;
  readonly contextLength?: number | null;
  /** Behaves like SkyRL 0.4.0: protobuf where the SDK has it, no `forward`, loads only into new models. Default false. */
  readonly protobuf?: boolean;
  /** Losses that requests may have. Default: those of `requestSchemas`. */
  readonly acceptedLosses?: readonly string[];
  /** Maximum number of models at a time. Default: no maximum. */
  readonly adapters?: number;
}

/** A local service with the Tinker API over any backend. Rejects bodies that Tinker's own client would not send. */
export class TinkerServer {
  readonly url: string;
  /** The next faults. Each occurs once. */
  readonly faults: Fault[] = [];
  /** Alters results before they are returned. */
  alterResult: ((result: object, route: Route) => object) | undefined;
  /** Receives every request that the server understands. */
  onRequest: ((route: Route, body: object) => void) | undefined;
  /** The routes of all requests except retrieve_future. */
  readonly routes: Route[] = [];
  readonly operations: ServiceOperations;
  readonly #options: TinkerServerOptions;
  readonly #server: ReturnType<typeof createServer>;
  readonly #results: { route: Route; polls: number; result: Promise<object>; isReady: boolean }[] =
    [];
  readonly #accepted = new Map<string, { body: string; id: string }>();
  /** The models that have had a request. */
  readonly #usedModels = new Set<string>();
  #sessions = 0;

  private constructor(
    server: ReturnType<typeof createServer>,
    operations: ServiceOperations,
    options: TinkerServerOptions,
  ) {
    this.#server = server;
    this.operations = operations;
    this.#options = options;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#handle(request, response));
  }

  static async start(backend: Backend, options: TinkerServerOptions = {}): Promise<TinkerServer> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new TinkerServer(server, await ServiceOperations.start(backend), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
    await this.operations.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = (request.url ?? "").replace("/api/v1/", "") as Route;
    const bytes = await buffer(request);
    if (route !== "retrieve_future") this.routes.push(route);
    const index = this.faults.findIndex((fault) => fault.route === route);
    const fault = index < 0 ? undefined : this.faults.splice(index, 1)[0]!;
    try {
      if (this.#options.apiKey !== undefined)
        if (request.headers["x-api-key"] !== this.#options.apiKey)
          throw new RequestError(401, "Invalid API key");
      const result =
        fault === undefined || fault.performsOperation
          ? await this.#respond(route, this.#readBody(route, request, bytes))
          : undefined;
      if (fault?.closesConnection) request.socket.destroy();
      else if (fault !== undefined)
        send(
          response,
          fault.status ?? 200,
          fault.body ?? { detail: "Injected fault" },
          fault.headers,
        );
      else if (result === undefined) send(response, 408, { detail: "Timeout waiting for result" });
      else if (result instanceof Uint8Array)
        response.writeHead(200, { "content-type": protobufType }).end(result);
      else send(response, 200, result);
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 500;
      send(response, status, { detail: (error as Error).message });
    }
  }

  /** The body in its JSON form, also if it was sent as protobuf. */
  #readBody(route: Route, request: IncomingMessage, bytes: Buffer): unknown {
    if (request.method !== "POST") return undefined;
    const isProtobuf = request.headers["content-type"] === protobufType;
    const { protobuf = false } = this.#options;
    if (protobuf && route === "forward") throw new RequestError(404, "Not Found");
    if (isProtobuf !== (protobuf && route === "forward_backward"))
      throw new RequestError(
        415,
        `${route} requires a${isProtobuf ? " JSON" : ` ${protobufType}`} body`,
      );
    return isProtobuf ? decodeForwardRequest(bytes) : JSON.parse(bytes.toString());
  }

  /** `undefined` if the result is pending. */
  async #respond(route: Route | "get_server_capabilities", body: unknown): Promise<unknown> {
    const { baseModel = "tiny", contextLength = 128, losses } = this.#options;
    if (route === "get_server_capabilities")
      return {
        supported_models: [{ model_name: baseModel, max_context_length: contextLength }],
        ...(losses === undefined ? {} : { supported_loss_fns: losses }),
      };
    if (!(route in requestSchemas)) throw new RequestError(404, "Not Found");
    const parsed = requestSchemas[route].safeParse(body);
    if (!parsed.success) throw new RequestError(422, z.prettifyError(parsed.error));
    const read = <Name extends Route>(): Request<Name> => parsed.data as Request<Name>;
    this.onRequest?.(route, parsed.data);
    this.#checkLoss(parsed.data);
    this.#checkLoad(route, parsed.data);
    switch (route) {
      case "create_session":
        this.#sessions += 1;
        return { type: route, session_id: `session_${this.#sessions}` };
      case "session_heartbeat":
        return { type: route };
      case "create_model":
        return this.#createFuture(route, () => this.operations.createModel(this.#options.adapters));
      case "unload_model":
        return this.#createFuture(route, () => this.operations.unload(read<"unload_model">()));
      case "create_sampling_session": {
        const id = read<"create_sampling_session">().model_path?.split("/").at(-1);
        return { type: route, sampling_session_id: id };
      }
      case "asample":
        return this.#createFuture(route, () => this.operations.sample(read<"asample">()));
      case "retrieve_future":
        return this.#retrieve(read<"retrieve_future">().request_id);
      case "forward":
        return this.#once(route, read<"forward">(), ({ forward_input: input }) =>
          this.operations.runForwardPass(input, false),
        );
      case "forward_backward":
        return this.#once(
          route,
          read<"forward_backward">(),
          ({ forward_backward_input: input, forward_only: isForwardOnly }) =>
            this.operations.runForwardPass(input, !isForwardOnly),
        );
      case "optim_step":
        return this.#once(route, read<"optim_step">(), (request) => this.operations.step(request));
      case "save_weights":
        return this.#createFuture(route, () => this.operations.save(read<"save_weights">()));
      case "load_weights":
        return this.#once(route, read<"load_weights">(), (request) =>
          this.operations.load(request),
        );
      case "save_weights_for_sampler":
        return this.#once(route, read<"save_weights_for_sampler">(), (request) =>
          this.operations.publish(request, this.#options.byPath ?? false),
        );
    }
  }

  /** Performs requests with the same number once. */
  #once<Body extends { model_id: string; seq_id: number }>(
    route: Route,
    body: Body,
    perform: (body: Body) => Promise<object>,
  ): object {
    this.operations.checkModel(body.model_id);
    const number = `${body.model_id}/${body.seq_id}`;
    const earlier = this.#accepted.get(number);
    const text = JSON.stringify([route, body]);
    if (earlier !== undefined && earlier.body !== text)
      throw new RequestError(409, "The number was reused");
    if (earlier !== undefined) return { request_id: earlier.id };
    const future = this.#createFuture(route, () => perform(body));
    this.#accepted.set(number, { body: text, id: future.request_id });
    return future;
  }

  #createFuture(route: Route, perform: () => Promise<object>): { request_id: string } {
    const result = this.#finish(route, perform());
    const entry = { route, polls: 0, result, isReady: false };
    result.then(
      () => (entry.isReady = true),
      () => (entry.isReady = true),
    );
    this.#results.push(entry);
    return { request_id: String(this.#results.length - 1) };
  }

  async #finish(route: Route, operation: Promise<object>): Promise<object> {
    const result = await operation;
    return this.alterResult?.(result, route) ?? result;
  }

  async #retrieve(id: string): Promise<object | undefined> {
    const entry = this.#results[Number(id)];
    if (entry === undefined) throw new RequestError(404, "Future not found");
    entry.polls += 1;
    if (entry.polls <= (this.#options.pending ?? 1) || !entry.isReady) return undefined;
    const result = await entry.result.catch((error: unknown) => {
      throw new RequestError(400, (error as Error).message);
    });
    return (this.#options.protobuf && encodeResult(entry.route, result)) || result;
  }

  #checkLoad(route: Route, body: object): void {
    if (!("model_id" in body)) return;
    const id = String(body.model_id);
    if (this.#options.protobuf && route === "load_weights" && this.#usedModels.has(id))
      throw new RequestError(400, "LoadWeights is not permitted with seq_id 2");
    this.#usedModels.add(id);
  }

  #checkLoss(body: object): void {
    const input = Object.values(body).find((value) => value?.loss_fn !== undefined);
    const { acceptedLosses } = this.#options;
    if (input === undefined || !acceptedLosses || acceptedLosses.includes(input.loss_fn)) return;
    throw new RequestError(422, `loss_fn: Input should be one of ${acceptedLosses.join(", ")}`);
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}
