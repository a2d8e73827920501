import type { AssistantMessage, Message } from "@envs/core";
import type { EpisodeView, StartedEpisode } from "@envs/records/bundle";

import { ServerSocket } from "./server-socket.ts";
import {
  type EpisodeChoice,
  PlayError,
  type PlaySession,
  type ServerSource,
  type ToolSpec,
} from "./session.ts";
import { readView } from "./view-schema.ts";

/** The fields of OpenEnv's result of a reset or a step that the page shows. */
interface StepResult {
  readonly observation: {
    readonly system_prompt?: string;
    readonly text?: string;
    readonly tool_name?: string;
    readonly result?: string | null;
    readonly error?: { readonly message: string } | null;
    /** After `list_tools`. */
    readonly tools?: readonly {
      readonly name: string;
      readonly description: string;
      readonly input_schema: ToolSpec["parameters"];
    }[];
  };
  readonly done: boolean;
}

interface ServerState {
  readonly task: { readonly id: string; readonly index: number } | null;
  readonly reward: number | null;
  readonly stop_reason?: string;
  readonly scores?: Readonly<Record<string, number | null>>;
}

/** Plays episodes that run on a server. Scores arrive at the end of an episode: judges may cost money. */
export class ServerSession implements PlaySession {
  readonly #source: ServerSource;
  readonly #environment: { readonly tools: readonly ToolSpec[]; readonly maxTurns: number };
  #socket: ServerSocket | undefined;
  #calls = 0;

  constructor(
    source: ServerSource,
    environment: { readonly tools: readonly ToolSpec[]; readonly maxTurns: number },
  ) {
    this.#source = source;
    this.#environment = environment;
  }

  async start({ split, example, seed }: EpisodeChoice): Promise<StartedEpisode> {
    if (this.#socket === undefined || this.#socket.isClosed)
      this.#socket = new ServerSocket(this.#source.socketPath);
    this.#calls = 0;
    const data = { split, index: example, seed };
    const result = await this.#socket.request<StepResult>({ type: "reset", data });
    const { task } = await this.#socket.request<ServerState>({ type: "state" });
    const { system_prompt: system, text = "" } = result.observation;
    const messages: Message[] = [
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      ...(text === "" ? [] : [{ role: "user" as const, content: text }]),
    ];
    return {
      ...(await this.#view(messages, result.done)),
      ...this.#environment,
      tools: await this.#tools(this.#socket),
      episode: 0,
      index: task?.index ?? example,
      key: task?.id ?? "",
    };
  }

  async respond(reply: string | AssistantMessage): Promise<EpisodeView> {
    const socket = this.#openSocket();
    const call = typeof reply === "string" ? undefined : reply.tool_calls?.[0];
    const content = typeof reply === "string" ? reply : reply.content;
    if (call === undefined) {
      const { textTool } = this.#source;
      const data =
        textTool === undefined
          ? { text: content }
          : { type: "call_tool", tool_name: textTool, arguments: { text: content } };
      const result = await socket.request<StepResult>({ type: "step", data });
      const text = result.observation.text ?? result.observation.result ?? "";
      return this.#view(text === "" ? [] : [{ role: "user", content: text }], result.done);
    }
    const { name, arguments: input } = call.function;
    const data = { type: "call_tool", tool_name: name, arguments: JSON.parse(input) as unknown };
    const { observation, done } = await socket.request<StepResult>({ type: "step", data });
    this.#calls += 1;
    const text = observation.error?.message ?? observation.result ?? observation.text ?? "";
    return this.#view([{ role: "tool", tool_call_id: `call_${this.#calls}`, content: text }], done);
  }

  close(): void {
    this.#socket?.close();
  }

  /** An environment without a common list of tools has a list for each episode. */
  async #tools(socket: ServerSocket): Promise<readonly ToolSpec[]> {
    const { tools } = this.#environment;
    const { textTool } = this.#source;
    if (textTool === undefined || tools.length > 0) return tools;
    const data = { type: "list_tools" };
    const { observation } = await socket.request<StepResult>({ type: "step", data });
    return (observation.tools ?? [])
      .filter(({ name }) => name !== textTool)
      .map(({ name, description, input_schema: parameters }) => {
        return { name, description, parameters };
      });
  }

  #openSocket(): ServerSocket {
    if (this.#socket === undefined)
      throw new PlayError("No episode has started.", { isLost: true });
    return this.#socket;
  }

  async #view(messages: readonly Message[], isDone: boolean): Promise<EpisodeView> {
    const socket = this.#openSocket();
    const position = isDone ? {} : await socket.request<object>({ type: "position" });
    const state = isDone ? await socket.request<ServerState>({ type: "state" }) : undefined;
    return readView({
      ...position,
      messages,
      isDone,
      stopReason: state?.stop_reason,
      scores:
        state?.scores === undefined || state.reward === null
          ? undefined
          : { reward: state.reward, scores: state.scores },
    });
  }
}
