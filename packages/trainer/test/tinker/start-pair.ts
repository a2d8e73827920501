import { tinkerBackend, type TinkerOptions, tinyBackend } from "../../src/index.ts";
import { startTinyModel } from "./letter-environment.ts";
import { TinkerServer, type TinkerServerOptions } from "./tinker-server.ts";

/** Starts a tiny model in this process, and an identical one on a service. */
export async function startPair(
  serverOptions: TinkerServerOptions = {},
  options: Partial<TinkerOptions> = {},
) {
  const [localModel, servedModel] = await Promise.all([startTinyModel(), startTinyModel()]);
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
    /** The service's model. */
    servedModel,
    server,
    /** The backend that is connected to the service. */
    remote,
    async [Symbol.asyncDispose]() {
      await remote.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
