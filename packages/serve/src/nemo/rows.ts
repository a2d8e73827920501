import { ConfigError, type Environment, type Message } from "@envs/core";
import { episode, maxTurnsOf, toolSpecsOf } from "@envs/core/engine";

import { ServeError } from "../failure.ts";
import { TaskOrder, TaskTable } from "../host/task.ts";
import { servedTools, type ServedTools } from "../served-tools.ts";

/** Which rows are made, and for which agent of NeMo Gym. */
export interface NemoRowsOptions {
  /** Default: `train` if there is one, else the first. */
  readonly split?: string;
  /** How many, from the split's beginning. Default: all. */
  readonly count?: number;
  /** Of the dataset: the one that the server was started with. Default 0. */
  readonly seed?: number;
  /**
   * `tools`, the default, for agents that call tools one by one and verify at the end; `gymnasium` for agents that send
   * each turn to the environment.
   */
  readonly style?: "tools" | "gymnasium";
}

/** One example of an environment, as a row of a dataset of NeMo Gym. */
export interface NemoRow {
  readonly responses_create_params: {
    readonly input: readonly Readonly<Record<string, unknown>>[];
    readonly tools: readonly Readonly<Record<string, unknown>>[];
    readonly parallel_tool_calls: boolean;
  };
  /** By which the server knows the example again. */
  readonly verifier_metadata: {
    readonly split: string;
    readonly index: number;
    readonly id: string;
  };
  readonly agent_ref: { readonly type: "responses_api_agents"; readonly name: string };
}

/** The examples of an environment as rows of a dataset of NeMo Gym. Throws a `ConfigError` if there is no such split. */
export async function* nemoRows(
  environment: Environment,
  { split, count = Infinity, seed = 0, style = "tools" }: NemoRowsOptions = {},
): AsyncGenerator<NemoRow> {
  const table = await new TaskTable(environment, seed).load();
  const tools = servedTools(toolSpecsOf(environment));
  const offered = toolsFor(environment, tools, style).map(({ name, description, parameters }) => {
    return { type: "function", name, description, parameters, strict: false };
  });
  const agent = style === "tools" ? "simple_agent" : "gymnasium_agent";
  const agentName = `${environment.name.replaceAll(/\W/gu, "_")}_${agent}`;
  const place = new TaskOrder({ name: environment.name, splits: table.splits });
  const exampleAt = async (index: number) => {
    try {
      const { split: name } = place.place({ split, index });
      const { example, key } = await table.example({ split: name, index });
      return { task: { split: name, index, id: key }, example };
    } catch (error) {
      if (!(error instanceof ServeError)) throw error;
      if (error.code === "unknown-task") return undefined;
      throw new ConfigError(error.message);
    }
  };
  for (let index = 0; index < count; index += 1) {
    const found = await exampleAt(index);
    if (found === undefined) return;
    const { task, example } = found;
    const { prompt } = episode(environment, example, { key: task.id });
    yield {
      responses_create_params: {
        input: prompt.flatMap((message) => inputItems(message, tools)),
        tools: offered,
        parallel_tool_calls: false,
      },
      verifier_metadata: task,
      agent_ref: { type: "responses_api_agents", name: agentName },
    };
  }
}

/** Text is said without a tool where one reply is all, or where it ends the episode. */
function toolsFor(
  environment: Environment,
  { specs, respond }: ServedTools,
  style: "tools" | "gymnasium",
): ServedTools["specs"] {
  const isTalk = environment.definition.respond !== undefined && maxTurnsOf(environment) > 1;
  if (style === "tools" && isTalk) return specs;
  return specs.filter(({ name }) => name !== respond);
}

function inputItems(
  message: Message,
  tools: ServedTools,
): readonly Readonly<Record<string, unknown>>[] {
  const { role, content } = message;
  if (role === "tool")
    return [{ type: "function_call_output", call_id: message.tool_call_id, output: content }];
  const said = { role, content };
  if (role !== "assistant" || message.tool_calls === undefined) return [said];
  const calls = message.tool_calls.map(({ id, function: called }) => ({
    type: "function_call",
    call_id: id,
    name: tools.servedName(called.name) ?? called.name,
    arguments: called.arguments,
  }));
  return content === "" ? calls : [said, ...calls];
}
