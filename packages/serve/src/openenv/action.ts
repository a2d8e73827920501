import * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import { parse } from "./validation.ts";

const object = z.record(z.string(), z.unknown());
const metadata = object.optional().describe("Ignored");

const textAction = z
  .strictObject({ text: z.string().describe("The model's reply"), metadata })
  .meta({ title: "TextAction", description: "The model's reply." });

const listTools = z
  .strictObject({ type: z.literal("list_tools"), metadata })
  .meta({ title: "ListToolsAction", description: "Lists the tools. Does not need a reset." });

const callTool = z
  .strictObject({
    type: z.literal("call_tool").default("call_tool"),
    tool_name: z.string().describe("Name of the tool, as in the result of list_tools"),
    arguments: object.default({}).describe("The tool's arguments"),
    metadata,
  })
  .meta({ title: "CallToolAction", description: "Calls a tool." });

/** A trainer's action in one step. */
export type Action =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "list_tools" }
  | {
      readonly type: "call_tool";
      readonly tool_name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    };

function isTextOnly({ host }: ServedEnvironment): boolean {
  return host.card.tools.length === 0;
}

/** The action that `/schema` describes: one field of text, or a tool call. */
export function mainAction(environment: ServedEnvironment) {
  return isTextOnly(environment) ? textAction : callTool;
}

/** All actions that the environment accepts. */
export function anyAction(environment: ServedEnvironment) {
  return isTextOnly(environment)
    ? z.union([textAction, callTool, listTools])
    : z.union([callTool, listTools]);
}

/** Throws a `ValidationError` whose paths begin with `path`. */
export function readAction(
  environment: ServedEnvironment,
  value: unknown,
  path: readonly string[],
): Action {
  const action = parse(object, value, path);
  if (action.type === "list_tools") return parse(listTools, action, path);
  if (action.type === "call_tool" || !isTextOnly(environment)) return parse(callTool, action, path);
  return { type: "text", text: parse(textAction, asTextAction(action), path).text };
}

const textFields = new Set(["text", "metadata"]);

/**
 * Clients parse a model's reply as JSON where they can: the reply `5` arrives as `{ text: 5 }`, and a reply that is a JSON
 * object arrives in place of the action.
 */
function asTextAction(action: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const keys = Object.keys(action);
  if (keys.some((key) => !textFields.has(key))) return { text: JSON.stringify(action) };
  const { text } = action;
  if (text === undefined || typeof text === "string") return action;
  return { ...action, text: JSON.stringify(text) };
}
