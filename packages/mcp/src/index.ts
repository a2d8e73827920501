export { connectMcp } from "./connect-mcp.ts";
export type { ConnectOptions, McpConnection } from "./connect-mcp.ts";
export { mcpTools } from "./mcp-tools.ts";
export type { McpOptions, McpToolset } from "./mcp-tools.ts";
export type { McpCommand, McpEndpoint, McpProcess, McpServer } from "./server.ts";
export type { McpTool, McpTools } from "./tool-record.ts";
