import {
  type Content,
  type Message,
  RolloutError,
  type ToolCall,
  type ToolMessage,
  type WorkspaceChanges,
} from "@envs/core";
import { type ToolSpec, workspaceTool } from "@envs/core/engine";

/** A tool of the environment, as an agent uses it: the environment runs it. */
export interface AgentTool {
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: ToolSpec["parameters"];
  /** Resolves to the result, which may be the environment's description of an error. */
  readonly execute: (input: Readonly<Record<string, unknown>>) => Promise<Content>;
}

/** The tools of the environment by name. */
export type AgentTools = Readonly<Record<string, AgentTool>>;

/** A call that the environment has not answered. */
export interface OpenToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly resolve: (result: Content) => void;
  readonly reject: (error: Error) => void;
}

/** The maximum milliseconds between calls of one message, which programs send over separate connections. */
const batchWindow = 50;

/** The environment's tools in the hands of an agent. The episode runs the calls, so they wait for the driver's next step. */
export class ToolBridge {
  readonly tools: AgentTools;
  /** The number of tool calls in the model's last reply. */
  readonly #expected: () => number;
  #waiting: OpenToolCall[] = [];
  #running = new Map<string, OpenToolCall>();
  #wake: (() => void) | undefined;

  constructor(specs: readonly ToolSpec[], expected: () => number) {
    this.#expected = expected;
    const entries = specs.map(({ name, description, parameters }) => {
      const execute: AgentTool["execute"] = (input) => this.#call(name, input);
      return [name, { description, parameters, execute }] as const;
    });
    this.tools = Object.fromEntries(entries);
  }

  /** Lets the environment save the files that the agent has changed. */
  async save(files: WorkspaceChanges): Promise<void> {
    await this.#call(workspaceTool, { files });
  }

  /** Resolves to the calls that the agent makes next: all that it makes at once. */
  async nextBatch(): Promise<readonly OpenToolCall[]> {
    while (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    // Code that calls several tools at once calls them in one task.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#waiting.length < this.#expected())
      await new Promise((resolve) => setTimeout(resolve, batchWindow));
    return this.#waiting;
  }

  /** Hands the calls of a batch to the environment, under the ids of the message that makes them. */
  run(batch: readonly OpenToolCall[], calls: readonly ToolCall[]): void {
    this.#waiting = this.#waiting.filter((call) => !batch.includes(call));
    for (const [index, call] of batch.entries()) this.#running.set(calls[index]!.id, call);
  }

  /** Gives the agent the results that the environment has added to the conversation. */
  deliver(messages: readonly Message[]): void {
    const results = messages.filter((message): message is ToolMessage => message.role === "tool");
    for (const [id, call] of this.#running) {
      const result = results.findLast((message) => message.tool_call_id === id);
      if (result === undefined)
        call.reject(new RolloutError("agent", `The environment did not answer ${call.name}.`));
      else call.resolve(result.content);
    }
    this.#running.clear();
  }

  /** Rejects the calls that wait, because the rollout has ended. */
  close(reason: Error): void {
    for (const { reject } of [...this.#waiting, ...this.#running.values()]) reject(reason);
    this.#waiting = [];
    this.#running.clear();
  }

  #call(name: string, input: OpenToolCall["input"]): Promise<Content> {
    const { promise, resolve, reject } = Promise.withResolvers<Content>();
    this.#waiting.push({ name, input, resolve, reject });
    this.#wake?.();
    return promise;
  }
}
