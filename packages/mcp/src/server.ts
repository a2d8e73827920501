import { basename, isAbsolute } from "node:path";
import type { Readable } from "node:stream";

import { ConfigError } from "@envs/core";

/** A server that is a program, which speaks MCP over its standard input and output. */
export interface McpCommand {
  /** The program. A name is looked up in the `PATH` of this process. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** The environment variables of the program. Of this process's own, it inherits only `PATH`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The working directory of the program. Default: the one of this process. */
  readonly cwd?: string | undefined;
}

/** A server that speaks MCP over streamable HTTP. */
export interface McpEndpoint {
  readonly url: string | URL;
  /** `sse` for the older transport, with a stream of events. Default `streamable-http`. */
  readonly transport?: "streamable-http" | "sse" | undefined;
  /** The headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A server that is a program elsewhere, such as in a container, which speaks MCP over its standard input and output. */
export interface McpProcess {
  /** Its name in messages. */
  readonly name: string;
  /** Runs the program until it ends, or until the signal. */
  run(
    this: void,
    streams: {
      readonly stdin: Readable;
      readonly onOutput: (stream: "stdout" | "stderr", data: Uint8Array) => void;
      readonly signal: AbortSignal;
    },
  ): Promise<{ readonly exitCode: number }>;
}

/** How an MCP server is started or reached. */
export type McpServer = McpCommand | McpEndpoint | McpProcess;

/** Throws a `ConfigError` if the server cannot be started or requested. */
export function checkServer(server: McpServer): void {
  if ("run" in server) return;
  const { command, url } = server as Partial<McpCommand & McpEndpoint>;
  if ((command === undefined) === (url === undefined))
    throw new ConfigError(
      'An MCP server needs either a command, such as { command: "npx", args: ["-y", "…"] }, or a URL: { url: "https://…/mcp" }.',
    );
  if (command === "") throw new ConfigError("The command of the MCP server is empty.");
  if (url !== undefined && !(URL.canParse(String(url)) && /^https?:$/u.test(new URL(url).protocol)))
    throw new ConfigError(
      `The address of the MCP server, ${JSON.stringify(withoutSecrets(url))}, is not an http:// or https:// URL.`,
    );
}

/** The server's name in messages: it contains no header, no variable, no option and no query. */
export function serverLabel(server: McpServer): string {
  if ("url" in server) return `The MCP server ${withoutSecrets(server.url)}`;
  if ("run" in server) return `The MCP server \`${server.name}\``;
  const { command, args = [] } = server;
  const program = args.find((arg) => !arg.startsWith("-")) ?? "";
  const words = [command, program].map((word) => (isAbsolute(word) ? basename(word) : word));
  return `The MCP server \`${words.join(" ").trim()}\``;
}

function withoutSecrets(url: string | URL): string {
  if (!URL.canParse(String(url))) return String(url).replace(/^.*@|[?#].*$/gsu, "");
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
