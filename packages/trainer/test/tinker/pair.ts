import { tinkerBackend, type TinkerOptions, tinyBackend } from "../../src/index.ts";
import { startTiny } from "./letters.ts";
import { TinkerServer, type TinkerServerOptions } from "./tinker-server.ts";

/** A tiny model, and an equal one behind a service. */
export async function startPair(
  serverOptions: TinkerServerOptions = {},
  options: Partial<TinkerOptions> = {},
) {
  const [localModel, servedModel] = await Promise.all([startTiny(), startTiny()]);
  const local = tinyBackend(localModel);
  const server = await TinkerServer.start(tinyBackend(servedModel), serverOptions);
  const remote = await tinkerBackend({
    baseURL: server.url,
    baseModel: "tiny",
    renderer: local.renderer,
    ...options,
  });
  return {
    local,
    localModel,
    /** The model behind the service. */
    servedModel,
    server,
    /** The service's client. */
    remote,
    async [Symbol.asyncDispose]() {
      await remote.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
