import { type Content, text } from "@envs/core";
import { dynamicTool, jsonSchema, type ToolSet } from "ai";

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

/** Results with images are their text here: the AI SDK has another format for them. */
function resultOf(content: Content): string {
  return text(content);
}
