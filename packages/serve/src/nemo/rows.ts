import {
  ConfigError,
  type Content,
  type Environment,
  type Example,
  type Message,
} from "@envs/core";
import { type Episode, episode, maxTurnsOf, seatNamesOf, toolSpecsOf } from "@envs/core/engine";

import { ServeError } from "../errors.ts";
import { type Task, type TaskQuery, TaskTable } from "../host/tasks.ts";
import { servedTools, type ServedTools } from "../served-tools.ts";

/** Options of {@link nemoRows}. */
export interface NemoRowsOptions {
  /** Default: `train` if it exists, else the first. */
  readonly split?: string | undefined;
  /** The maximum number of rows, from the start of the split. Default: all. */
  readonly count?: number | undefined;
  /** The seed of the dataset, which must be the server's. Default 0. */
  readonly seed?: number | undefined;
  /**
   * `tools`, the default, for agents that call tools one by one and verify at the end; `gymnasium` for agents that send
   * each turn to the environment.
   */
  readonly style?: "tools" | "gymnasium" | undefined;
  /** The seat of the model, in an environment with seats. Default: the first. */
  readonly seat?: string | undefined;
}

/** An example of an environment as a row of a NeMo Gym dataset. */
export interface NemoRow {
  readonly responses_create_params: {
    readonly input: readonly Readonly<Record<string, unknown>>[];
    readonly tools: readonly Readonly<Record<string, unknown>>[];
    readonly parallel_tool_calls: boolean;
  };
  /** Identifies the example to the server. */
  readonly verifier_metadata: {
    readonly split: string;
    readonly index: number;
    readonly id: string;
    readonly seat?: string | undefined;
  };
  readonly agent_ref: { readonly type: "responses_api_agents"; readonly name: string };
}

/** The examples of an environment as rows of a NeMo Gym dataset. Throws a `ConfigError` if the split or the seat does not exist. */
export async function* nemoRows(
  environment: Environment,
  { split, count = Infinity, seed = 0, style = "tools", seat }: NemoRowsOptions = {},
): AsyncGenerator<NemoRow> {
  checkSeat(environment, seat);
  const table = await new TaskTable(environment, seed).load();
  const commonTools = toolSpecsOf(environment);
  const common = servedTools(commonTools ?? []);
  const mustStart = commonTools === undefined || seatNamesOf(environment).length > 0;
  const agent = style === "tools" ? "simple_agent" : "gymnasium_agent";
  const agentName = `${environment.name.replaceAll(/\W/gu, "_")}_${agent}`;
  for (let index = 0; index < count; index += 1) {
    const entry = await readExample(table, { split, index });
    if (entry === undefined) return;
    const { task, example } = entry;
    const opened = episode(environment, example, { key: task.id, seed, seat });
    if (mustStart) await startAndClose(opened);
    const { prompt } = opened;
    const tools = commonTools === undefined ? servedTools(opened.tools) : common;
    const functions = toolsFor(environment, tools, style).map(
      ({ name, description, parameters }) => {
        return { type: "function", name, description, parameters, strict: false };
      },
    );
    yield {
      responses_create_params: {
        input: prompt.flatMap((message) => inputItems(message, tools)),
        tools: functions,
        parallel_tool_calls: false,
      },
      verifier_metadata: seat === undefined ? task : { ...task, seat },
      agent_ref: { type: "responses_api_agents", name: agentName },
    };
  }
}

/** Checks the seat now, because the server reports the problem only after a trainer has started. */
function checkSeat(environment: Environment, seat: string | undefined): void {
  const names = seatNamesOf(environment);
  if (seat === undefined || names.includes(seat)) return;
  throw names.length === 0
    ? new ConfigError(`${environment.name} has no seats. Remove seat: ${JSON.stringify(seat)}.`)
    : new ConfigError(
        `${environment.name} has no seat named ${JSON.stringify(seat)}. Its seats are: ${names.join(", ")}.`,
      );
}

/** Starts an episode for its tools, which may depend on the example or the state, or for the observation of a seat. */
async function startAndClose(opened: Episode): Promise<void> {
  try {
    await opened.start();
  } finally {
    await opened.close();
  }
}

/** Returns `undefined` at the end of the split. */
async function readExample(
  table: TaskTable,
  query: TaskQuery,
): Promise<{ readonly task: Task; readonly example: Example } | undefined> {
  try {
    const task = await table.task(query);
    return { task, example: (await table.example(task)).example };
  } catch (error) {
    if (!(error instanceof ServeError)) throw error;
    if (error.code === "unknown-task") return undefined;
    throw new ConfigError(error.message);
  }
}

/** Models need `respond` only where they send several replies. A reply that ends the episode needs no tool. */
function toolsFor(
  environment: Environment,
  { specs, respond }: ServedTools,
  style: "tools" | "gymnasium",
): ServedTools["specs"] {
  const isMultiTurn = environment.definition.respond !== undefined && maxTurnsOf(environment) > 1;
  if (style === "tools" && isMultiTurn) return specs;
  return specs.filter(({ name }) => name !== respond);
}

/** A content in the format of the Responses API. */
function inputContent(content: Content): string | readonly Readonly<Record<string, unknown>>[] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    switch (part.type) {
      case "text":
        return { type: "input_text", text: part.text };
      case "image_url": {
        const { url, detail = "auto" } = part.image_url;
        return { type: "input_image", image_url: url, detail };
      }
      case "input_audio":
        return { ...part };
      case "file":
        return { type: "input_file", ...part.file };
    }
  });
}

function inputItems(
  message: Message,
  tools: ServedTools,
): readonly Readonly<Record<string, unknown>>[] {
  const { role, content } = message;
  if (role === "tool")
    return [
      {
        type: "function_call_output",
        call_id: message.tool_call_id,
        output: inputContent(content),
      },
    ];
  const textItem = { role, content: inputContent(content) };
  if (role !== "assistant" || message.tool_calls === undefined) return [textItem];
  const calls = message.tool_calls.map(({ id, function: call }) => ({
    type: "function_call",
    call_id: id,
    name: tools.servedName(call.name) ?? call.name,
    arguments: call.arguments,
  }));
  return content === "" ? calls : [textItem, ...calls];
}
