import { tinkerBackend, type TinkerOptions } from "../../src/index.ts";
import { startTiny } from "./letters.ts";
import { TinkerServer, type TinkerServerOptions } from "./tinker-server.ts";

/** A tiny model, and an equal one behind a service. */
export async function startPair(
  serverOptions: TinkerServerOptions = {},
  options: Partial<TinkerOptions> = {},
) {
  const [local, served] = await Promise.all([startTiny(), startTiny()]);
  const server = await TinkerServer.start(served, serverOptions);
  const remote = await tinkerBackend({
    baseURL: server.url,
    baseModel: "tiny",
    renderer: local.renderer,
    ...options,
  });
  return {
    local,
    /** What the service runs on. */
    served,
    server,
    /** The service's client. */
    remote,
    async [Symbol.asyncDispose]() {
      await remote.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
