import * as z from "zod";

import type { Served } from "../context.ts";
import { read } from "./invalid.ts";

const object = z.record(z.string(), z.unknown());
const metadata = object.optional().describe("Ignored");

const textAction = z
  .strictObject({ text: z.string().describe("What the model says"), metadata })
  .meta({ title: "TextAction", description: "The model's reply." });

const listTools = z
  .strictObject({ type: z.literal("list_tools"), metadata })
  .meta({ title: "ListToolsAction", description: "Asks which tools there are. Needs no reset." });

const callTool = z
  .strictObject({
    type: z.literal("call_tool").default("call_tool"),
    tool_name: z.string().describe("Name of the tool, as list_tools tells it"),
    arguments: object.default({}).describe("What the tool is given"),
    metadata,
  })
  .meta({ title: "CallToolAction", description: "Calls a tool." });

/** What a trainer does in one step. */
export type Action =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "list_tools" }
  | {
      readonly type: "call_tool";
      readonly tool_name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    };

/** Whether the environment's models only write text. */
function isTextOnly({ host }: Served): boolean {
  return host.card.tools.length === 0;
}

/** The action that clients are shown: one field of text, or a call of a tool. */
export function shownAction(served: Served) {
  return isTextOnly(served) ? textAction : callTool;
}

/** All actions that are taken. */
export function takenAction(served: Served) {
  return isTextOnly(served)
    ? z.union([textAction, callTool, listTools])
    : z.union([callTool, listTools]);
}

/** Reads an action. Throws an `InvalidError` whose places begin with `at`. */
export function readAction(served: Served, value: unknown, at: readonly string[]): Action {
  const given = read(object, value, at);
  if (given.type === "list_tools") return read(listTools, given, at);
  if ("type" in given || !isTextOnly(served)) return read(callTool, given, at);
  // Clients read a model's reply as JSON where they can: a model that says 5 comes as the number.
  const { text } = given;
  const isRead = text !== undefined && typeof text !== "string";
  const said = isRead ? { ...given, text: JSON.stringify(text) } : given;
  return { type: "text", text: read(textAction, said, at).text };
}
