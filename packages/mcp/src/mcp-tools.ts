import type { Tool } from "@modelcontextprotocol/client";

import type { Timeouts } from "./connection.ts";
import { redactor } from "./redact.ts";
import { checkServer, type McpServer, serverLabel } from "./server.ts";
import { SharedConnection } from "./shared-connection.ts";
import { type McpTools, toolRecord, type ToolSelection } from "./tool-record.ts";

/** Which tools of a server the model sees, and how long they may take. */
export interface McpOptions extends ToolSelection, Timeouts {}

/** The tools of a server that all rollouts share. */
export interface McpToolset extends AsyncDisposable {
  /** Returns the tools. The first call opens the connection. */
  (context?: { readonly signal?: AbortSignal | undefined }): Promise<McpTools>;
}

/**
 * The tools of an MCP server, for the `tools` of an environment. All rollouts of this process share one connection, which the
 * first of them opens. It ends with the process, or when the toolset is disposed. After a server has died, the calls that it
 * was running fail, and the next call has a new connection.
 *
 * The server's state is shared too. Use {@link connectMcp} in `setup` for a server per rollout.
 */
export function mcpTools(server: McpServer, options: McpOptions = {}): McpToolset {
  checkServer(server);
  const connection = new SharedConnection(server, options);
  const caller = {
    label: serverLabel(server),
    redactor: redactor(server),
    call: connection.call.bind(connection),
  };
  let latest: { readonly listed: readonly Tool[]; readonly tools: McpTools } | undefined;
  const toolset = async ({ signal }: { readonly signal?: AbortSignal | undefined } = {}) => {
    const listed = await connection.tools(signal);
    // Rollouts share the tools with their converted schemas until the server changes its list.
    if (latest?.listed !== listed) latest = { listed, tools: toolRecord(listed, options, caller) };
    return latest.tools;
  };
  return Object.assign(toolset, { [Symbol.asyncDispose]: () => connection.close() });
}
