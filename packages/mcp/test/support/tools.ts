import { defineEnvironment } from "@envs/core";
import { toolSpecsOf } from "@envs/core/engine";

import type { McpTools } from "../../src/index.ts";

/** Calls a tool as the engine does, after its arguments were checked. */
export async function call(
  tools: McpTools,
  name: string,
  input: Record<string, unknown> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const tool = tools[name]!;
  return tool.execute(await tool.input.parseAsync(input), { signal } as never);
}

/** An environment with tools that ends at the first text. */
export function environmentWith(tools: McpTools) {
  return defineEnvironment({
    name: "borrowed",
    dataset: () => [{ prompt: "Use the tools." }],
    tools,
    rubric: { done: () => 1 },
  })();
}

/** The description of a tool that the model sees. */
export function specOf(tools: McpTools, name: string) {
  return toolSpecsOf(environmentWith(tools))!.find((spec) => spec.name === name);
}
