import { createHash } from "node:crypto";

import { ConfigError, type Tool } from "@envs/core";
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/client";

import { inputSchema } from "./input-schema.ts";
import type { Redactor } from "./redact.ts";
import { resultText, toolValue } from "./tool-result.ts";

const maxNameLength = 64;

/** A tool of an MCP server, for the `tools` of any environment. */
export type McpTool = Tool;

/** Tools of an MCP server, by the names that the model sees. */
export type McpTools = Readonly<Record<string, McpTool>>;

/** The tools of a server that the model sees, and their names. */
export interface ToolSelection {
  /** Text before each name, such as `docs_`, which keeps the tools of two servers apart. */
  readonly prefix?: string | undefined;
  /** The server's names of the tools to offer. Default: all. */
  readonly only?: readonly string[] | undefined;
}

/** The connection that receives the calls. */
export interface ToolCaller {
  readonly label: string;
  readonly redactor: Redactor;
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ) => Promise<CallToolResult>;
}

/** Tools that call a server. Throws a `ConfigError` if `only` names a tool that the server does not have. */
export function toolRecord(
  listed: readonly ListedTool[],
  { prefix = "", only }: ToolSelection,
  caller: ToolCaller,
): McpTools {
  const missing = only?.filter((name) => !listed.some((tool) => tool.name === name)) ?? [];
  if (missing.length > 0)
    throw new ConfigError(
      `${caller.label} has no tool named ${missing.join(", ")}. It has: ${listed.map(({ name }) => name).join(", ") || "none"}.`,
    );
  const tools: Record<string, McpTool> = {};
  for (const tool of listed) {
    if (only !== undefined && !only.includes(tool.name)) continue;
    const name = toolName(tool.name, prefix);
    tools[Object.hasOwn(tools, name) ? withHash(name, prefix + tool.name) : name] = mcpTool(
      tool,
      caller,
    );
  }
  return tools;
}

function mcpTool(tool: ListedTool, caller: ToolCaller): McpTool {
  return {
    description: tool.description ?? tool.title ?? "",
    input: inputSchema(tool),
    // Runs calls in order: the order of changes determines the server's state, and so the result of a replay.
    sequential: tool.annotations?.readOnlyHint !== true,
    execute: (input, { signal }) => callTool(tool.name, input, signal, caller),
  };
}

/** Calls a tool by the server's name. Throws the text of a result that is an error. */
export async function callTool(
  name: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
  { call, redactor }: ToolCaller,
): Promise<unknown> {
  const result = await call(name, input, signal);
  if (result.isError === true) throw new Error(redactor.result(resultText(result)));
  return withoutSecrets(toolValue(result), redactor);
}

function withoutSecrets(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.result(value);
  const json = JSON.stringify(value);
  const redacted = redactor.result(json);
  return redacted === json ? value : JSON.parse(redacted);
}

/**
 * The name under which the model sees a tool: letters, digits, `_` and `-`, at most 64, as model servers require. A long name
 * ends with a hash, so that it stays unique.
 */
function toolName(name: string, prefix: string): string {
  const legal = (prefix + name).replaceAll(/[^\w-]/gu, "_");
  return legal.length <= maxNameLength ? legal : withHash(legal, prefix + name);
}

/** Appends a hash of the original, for two originals that would have the same name. */
function withHash(name: string, original: string): string {
  const hash = createHash("sha256").update(original).digest("hex").slice(0, 8);
  return `${name.slice(0, maxNameLength - hash.length - 1)}_${hash}`;
}
