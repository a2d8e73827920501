import * as z from "zod";

import type { EpisodeContext } from "./context.ts";
import type { AnyDefinition } from "./environment.ts";
import { isRolloutError, messageOf, RolloutError } from "./errors.ts";
import type { ToolCall, ToolMessage } from "./message.ts";
import type { ToolSpec } from "./model.ts";
import { isEnd } from "./stop.ts";

/** What a model is told of a tool. */
export function toolSpec(
  name: string,
  { description, input }: { readonly description: string; readonly input: z.ZodType },
): ToolSpec {
  const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: "input" });
  return { name, description, parameters };
}

/** The answer to a tool call. */
export function toolMessage(call: ToolCall, content: string): ToolMessage {
  return { role: "tool", tool_call_id: call.id, content };
}

/**
 * Runs one tool call. An unknown tool, broken JSON, arguments that do not fit and a tool that throws become a
 * message that tells the model; with `toolErrors: "fail"` they become a `RolloutError` of code `tool` instead.
 */
export async function runTool(
  call: ToolCall,
  { tools = {}, toolErrors = "tell" }: AnyDefinition,
  context: EpisodeContext<never, never, unknown>,
): Promise<{ readonly message: ToolMessage; readonly isEnd: boolean }> {
  const refuse = (problem: string, cause?: unknown) => {
    if (toolErrors === "fail") throw new RolloutError("tool", problem, { cause });
    return { message: toolMessage(call, `Error: ${problem}`), isEnd: false };
  };

  const { name, arguments: text } = call.function;
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined)
    return refuse(
      `There is no tool named ${JSON.stringify(name)}. Use one of: ${Object.keys(tools).join(", ")}.`,
    );

  let json: unknown;
  try {
    json = JSON.parse(text.trim() || "{}");
  } catch (error) {
    return refuse(`The arguments of ${name} are not valid JSON: ${messageOf(error)}`, error);
  }

  try {
    const input = await tool.input.safeParseAsync(json);
    if (!input.success)
      return refuse(
        `The arguments of ${name} do not fit:\n${z.prettifyError(input.error)}`,
        input.error,
      );
    const value = await tool.execute(input.data, context);
    if (isEnd(value)) return { message: toolMessage(call, value.message ?? ""), isEnd: true };
    return { message: toolMessage(call, asText(value)), isEnd: false };
  } catch (error) {
    // A tool that throws a RolloutError itself has decided that the model cannot mend this.
    if (isRolloutError(error)) throw error;
    return refuse(`${name} failed: ${messageOf(error)}`, error);
  }
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  // What JSON has no word for, such as `undefined` and functions, says nothing.
  return JSON.stringify(value) ?? "";
}
