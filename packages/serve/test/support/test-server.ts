import { test as base } from "vitest";

import { type EnvironmentServer, serve, type ServeOptions } from "../../src/index.ts";
import { OpenenvSocket } from "./openenv-socket.ts";

/** A server that closes at the end of its test, with all sockets that the test opened. */
export interface TestServer extends EnvironmentServer {
  openSocket(path?: string, headers?: Record<string, string>): Promise<OpenenvSocket>;
}

/** `test` with fixtures that clean up at its end. */
export const test = base
  .extend("cleanup", async ({}, { onCleanup }) => {
    const cleanup = new AsyncDisposableStack();
    onCleanup(() => cleanup.disposeAsync());
    return cleanup;
  })
  .extend("startServer", ({ cleanup }) => {
    return async (
      environments: Parameters<typeof serve>[0],
      options: ServeOptions = {},
    ): Promise<TestServer> => {
      const server = cleanup.use(await serve(environments, { port: 0, ...options }));
      const openSocket: TestServer["openSocket"] = async (path, headers) =>
        cleanup.use(await OpenenvSocket.open(server.url, path, headers));
      return { ...server, openSocket };
    };
  });
