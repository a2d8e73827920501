import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import * as z from "zod";

import type { Backend } from "../../src/index.ts";
import { type Request, requests, type Route } from "./requests.ts";
import { Refusal, ServiceWork } from "./service-work.ts";

/** Something that goes wrong once. */
export interface Fault {
  readonly route: Route;
  /** Answers this instead. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Breaks the connection. */
  readonly isCut?: boolean;
  /** Does the work first. */
  readonly isDone?: boolean;
}

export interface TinkerServerOptions {
  readonly baseModel?: string;
  readonly apiKey?: string;
  /** How often a result is not there yet. Default 1. */
  readonly pending?: number;
  readonly losses?: readonly string[];
  /** Keeps what is sampled from, and names it by path. */
  readonly byPath?: boolean;
  readonly contextLength?: number | null;
}

/** A local service of the Tinker API over any backend; bodies that Tinker's client would not send are refused. */
export class TinkerServer {
  readonly url: string;
  /** What goes wrong next, each once. */
  readonly faults: Fault[] = [];
  /** Changes results before they are told. */
  lie: ((result: object, route: Route) => object) | undefined;
  /** What was asked for, retrieve_future left out. */
  readonly asked: Route[] = [];
  readonly work: ServiceWork;
  readonly #options: TinkerServerOptions;
  readonly #server: ReturnType<typeof createServer>;
  readonly #results: { polls: number; result: Promise<object>; isThere: boolean }[] = [];
  readonly #numbers = new Map<string, { body: string; id: string }>();
  #sessions = 0;

  private constructor(
    server: ReturnType<typeof createServer>,
    work: ServiceWork,
    options: TinkerServerOptions,
  ) {
    this.#server = server;
    this.work = work;
    this.#options = options;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#handle(request, response));
  }

  static async start(backend: Backend, options: TinkerServerOptions = {}): Promise<TinkerServer> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new TinkerServer(server, await ServiceWork.start(backend), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
    await this.work.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = (request.url ?? "").replace("/api/v1/", "") as Route;
    const body = request.method === "POST" ? await json(request) : undefined;
    if (route !== "retrieve_future") this.asked.push(route);
    const index = this.faults.findIndex((fault) => fault.route === route);
    const fault = index < 0 ? undefined : this.faults.splice(index, 1)[0]!;
    try {
      if (this.#options.apiKey !== undefined)
        if (request.headers["x-api-key"] !== this.#options.apiKey)
          throw new Refusal(401, "Invalid API key");
      const answer =
        fault === undefined || fault.isDone ? await this.#answer(route, body) : undefined;
      if (fault?.isCut) request.socket.destroy();
      else if (fault !== undefined)
        send(response, fault.status ?? 200, fault.body ?? { detail: "It hurts" }, fault.headers);
      else if (answer === undefined) send(response, 408, { detail: "Timeout waiting for result" });
      else send(response, 200, answer);
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      send(response, status, { detail: (error as Error).message });
    }
  }

  /** Undefined: not yet. */
  async #answer(route: Route | "get_server_capabilities", body: unknown): Promise<unknown> {
    const { baseModel = "tiny", contextLength = 128, losses } = this.#options;
    if (route === "get_server_capabilities")
      return {
        supported_models: [{ model_name: baseModel, max_context_length: contextLength }],
        ...(losses === undefined ? {} : { supported_loss_fns: losses }),
      };
    if (!(route in requests)) throw new Refusal(404, "Not Found");
    const parsed = requests[route].safeParse(body);
    if (!parsed.success) throw new Refusal(422, z.prettifyError(parsed.error));
    const read = <Name extends Route>(): Request<Name> => parsed.data as Request<Name>;
    switch (route) {
      case "create_session":
        this.#sessions += 1;
        return { type: route, session_id: `session_${this.#sessions}` };
      case "session_heartbeat":
        return { type: route };
      case "create_model":
        return this.#owe(route, () => this.work.createModel());
      case "unload_model":
        return this.#owe(route, async () => ({ ...read<"unload_model">(), status: "unloaded" }));
      case "create_sampling_session": {
        const id = read<"create_sampling_session">().model_path?.split("/").at(-1);
        return { type: route, sampling_session_id: id };
      }
      case "asample":
        return this.#owe(route, () => this.work.sample(read<"asample">()));
      case "retrieve_future":
        return this.#retrieve(read<"retrieve_future">().request_id);
      case "forward":
        return this.#once(route, read<"forward">(), ({ forward_input: input }) =>
          this.work.pass(input, false),
        );
      case "forward_backward":
        return this.#once(route, read<"forward_backward">(), ({ forward_backward_input: input }) =>
          this.work.pass(input, true),
        );
      case "optim_step":
        return this.#once(route, read<"optim_step">(), (each) => this.work.step(each));
      case "save_weights":
        return this.#owe(route, () => this.work.save(read<"save_weights">()));
      case "load_weights":
        return this.#once(route, read<"load_weights">(), (each) => this.work.load(each));
      case "save_weights_for_sampler":
        return this.#once(route, read<"save_weights_for_sampler">(), (each) =>
          this.work.publish(each, this.#options.byPath ?? false),
        );
    }
  }

  /** What was asked for with the same number is not done again. */
  #once<Body extends { model_id: string; seq_id: number }>(
    route: Route,
    body: Body,
    work: (body: Body) => Promise<object>,
  ): object {
    this.work.checkModel(body.model_id);
    const number = `${body.model_id}/${body.seq_id}`;
    const known = this.#numbers.get(number);
    const text = JSON.stringify([route, body]);
    if (known !== undefined && known.body !== text) throw new Refusal(409, "The number was reused");
    if (known !== undefined) return { request_id: known.id };
    const ticket = this.#owe(route, () => work(body));
    this.#numbers.set(number, { body: text, id: ticket.request_id });
    return ticket;
  }

  #owe(route: Route, work: () => Promise<object>): { request_id: string } {
    const result = this.#told(route, work());
    const owed = { polls: 0, result, isThere: false };
    result.then(
      () => (owed.isThere = true),
      () => (owed.isThere = true),
    );
    this.#results.push(owed);
    return { request_id: String(this.#results.length - 1) };
  }

  async #told(route: Route, work: Promise<object>): Promise<object> {
    const done = await work;
    return this.lie?.(done, route) ?? done;
  }

  async #retrieve(id: string): Promise<object | undefined> {
    const owed = this.#results[Number(id)];
    if (owed === undefined) throw new Refusal(404, "Future not found");
    owed.polls += 1;
    if (owed.polls <= (this.#options.pending ?? 1) || !owed.isThere) return undefined;
    return owed.result.catch((error: unknown) => {
      throw new Refusal(400, (error as Error).message);
    });
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
