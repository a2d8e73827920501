import type { Tool, Toolset } from "@envs/core";
import type { Machine } from "@envs/machine";
import { connectMcp, type McpConnection, type McpServer } from "@envs/mcp";

import type { EnvironmentConfig } from "../task/config.ts";

/** An MCP server that a task offers its agent. Its command runs in the agent's machine; its address is one of that machine's network. */
export type McpServerConfig = EnvironmentConfig["mcp_servers"][number];

export interface McpServersOptions {
  readonly machine: Machine;
  readonly user: string | undefined;
  readonly signal: AbortSignal;
}

/** The connections of one trial to the MCP servers of its task. */
export class McpServers {
  readonly #configs: readonly McpServerConfig[];
  readonly #options: McpServersOptions;
  readonly #connections = new Map<string, McpConnection>();

  constructor(configs: readonly McpServerConfig[], options: McpServersOptions) {
    this.#configs = configs;
    this.#options = options;
  }

  /** Starts or reaches the servers. A step starts them again, because the machine has restarted. */
  async connect(): Promise<void> {
    const { signal } = this.#options;
    await Promise.all(
      this.#configs.map(async (config) => {
        const connection = await connectMcp(await this.#serverOf(config), { signal });
        this.#connections.set(config.name, connection);
      }),
    );
  }

  /** Their tools, by names that differ from each other and from `taken`: a tool whose name is taken starts with its server's. */
  tools(taken: readonly string[]): Toolset {
    const tools: Record<string, Tool> = {};
    const isTaken = (name: string): boolean => taken.includes(name) || Object.hasOwn(tools, name);
    for (const [server, connection] of this.#connections)
      for (const [name, definition] of Object.entries(connection.tools)) {
        const shown = isTaken(name) ? `${server.replaceAll(/[^\w-]/gu, "_")}_${name}` : name;
        tools[shown.slice(0, 64)] = {
          ...definition,
          execute: (input, context) => this.#tool(server, name).execute(input, context),
        };
      }
    return tools;
  }

  async close(): Promise<void> {
    const open = [...this.#connections.values()];
    await Promise.all(open.map((connection) => connection[Symbol.asyncDispose]()));
  }

  #tool(server: string, name: string): Tool {
    const definition = this.#connections.get(server)?.tools[name];
    if (definition === undefined)
      throw new Error(`The MCP server ${server} no longer has the tool ${name}.`);
    return definition;
  }

  async #serverOf(config: McpServerConfig): Promise<McpServer> {
    const { machine, user } = this.#options;
    const { name, url, command, args, headers, transport } = config;
    if (url !== undefined) {
      const isSse = transport === "sse";
      return {
        url: await machine.expose(url),
        headers,
        transport: isSse ? "sse" : "streamable-http",
      };
    }
    // A text is a line for the shell; with arguments it is a program.
    const argv = args.length > 0 ? [command ?? "", ...args] : (command ?? "");
    return { name, run: (streams) => machine.exec(argv, { ...streams, user }) };
  }
}
