import type { McpServerConfig } from "../agent/mcp-servers.ts";
import { type HostVariables, withHostVariables } from "./host-variables.ts";
import type { HarborTask } from "./task.ts";

/** The MCP servers of a task for its agent, also for the configuration of an agent program; headers have the host's variables. */
export function mcpServersOf(
  { config, folder }: HarborTask,
  host: HostVariables,
): readonly McpServerConfig[] {
  return config.environment.mcp_servers.map((server) => ({
    ...server,
    headers: { ...withHostVariables(server.headers, host, folder) },
  }));
}
