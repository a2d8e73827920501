import { ConfigError, type Content, type Message, textOf, tool, type Toolset } from "@envs/core";
import { toPrompt } from "@envs/models";
import { dynamicTool, jsonSchema, type ModelMessage, type Tool, type ToolSet } from "ai";
import * as z from "zod";

import type { AgentTools } from "./agent/agent-tools.ts";

/** The tools of an environment for agents of the AI SDK, such as `ToolLoopAgent`. */
export function aiSdkTools(tools: AgentTools): ToolSet {
  const entries = Object.entries(tools).map(([name, { description, parameters, execute }]) => [
    name,
    dynamicTool({
      description,
      inputSchema: jsonSchema(parameters),
      execute: async (input) => resultOf(await execute(input as Readonly<Record<string, unknown>>)),
    }),
  ]);
  return Object.fromEntries(entries) as ToolSet;
}

/**
 * The messages of an episode for agents of the AI SDK, with the tool calls of earlier turns. System messages are left out: an agent
 * has its own instructions.
 */
export function aiSdkMessages(messages: readonly Message[]): ModelMessage[] {
  const others = messages.filter(({ role }) => role !== "system");
  return toPrompt(others, (source) => source);
}

/**
 * The tools of an application of the AI SDK as tools of an environment, which runs them. Throws a `ConfigError` for a tool without
 * `execute`, or whose schema is not an object of zod 4.
 */
export function environmentTools(tools: ToolSet): Toolset {
  const entries = Object.entries(tools).map(([name, definition]) => {
    const { description, inputSchema, execute } = definition as Tool<unknown, unknown>;
    if (execute === undefined)
      throw new ConfigError(
        `The tool ${name} has no execute, so the environment cannot run it. Add one, or leave the tool out.`,
      );
    if (!(inputSchema instanceof z.ZodObject))
      throw new ConfigError(
        `The inputSchema of the tool ${name} is not a z.object() of zod 4. Write it as one, or define the tool in the environment.`,
      );
    const run = tool({
      description: typeof description === "string" ? description : "",
      input: inputSchema,
      // A tool of an episode does not receive the id of its call.
      execute: (input, { signal, messages }) =>
        execute(input, {
          toolCallId: name,
          messages: aiSdkMessages(messages),
          abortSignal: signal,
          context: {},
        }),
    });
    return [name, run] as const;
  });
  return Object.fromEntries(entries);
}

/** Results with images are their text here: the AI SDK has another format for them. */
function resultOf(content: Content): string {
  return textOf(content);
}
