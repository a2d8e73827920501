import type { MachineProvider } from "../machine.ts";
import { checkNetwork } from "../network/allowlist.ts";
import { type Dial, dialPublic } from "../network/dial.ts";
import { Admission } from "./admission.ts";
import { dockerAt, type Engine, engineOf } from "./engine.ts";
import { prepareImage } from "./image.ts";
import { dockerLeftovers } from "./leftovers.ts";
import { checkServices } from "./services.ts";
import { SharedBuilds } from "./shared-builds.ts";
import { startMachine } from "./start.ts";

export interface DockerOptions {
  /** The socket of an engine with Docker's API, such as podman's. Default: `DOCKER_HOST`, or Docker's own. */
  readonly socket?: string | undefined;
  /** The network of commands in builds, such as `host`. Default: the engine's. */
  readonly buildNetwork?: string | undefined;
  /** Connects to the hosts of an allowlist, such as through a proxy. Default: directly, and to no private address. */
  readonly dial?: Dial | undefined;
}

/** Machines as containers of Docker, or of podman with or without root. */
export function docker(options: DockerOptions = {}): MachineProvider {
  const { socket, buildNetwork, dial = dialPublic } = options;
  const client = dockerAt(socket);
  let engine: Promise<Engine> | undefined;
  let admission: Admission | undefined;
  const builds = new SharedBuilds((image, prepareOptions) =>
    prepareImage({ docker: client, buildNetwork }, image, prepareOptions),
  );
  const connect = (): Promise<Engine> => {
    engine ??= engineOf(client).catch((error: unknown) => {
      engine = undefined;
      throw error;
    });
    return engine;
  };
  const prepare: MachineProvider["prepare"] = async (image, prepareOptions = {}) => {
    await connect();
    return await builds.image(image, prepareOptions);
  };
  return {
    kind: "machine",
    name: "docker",
    traits: { name: "docker", isolation: "container", builds: true },
    check: async () => void (await connect()),
    prepare,
    async create(machineOptions) {
      checkNetwork(machineOptions.network ?? "none");
      const { services = {}, after, image, buildTimeoutMs: timeoutMs, signal } = machineOptions;
      checkServices({ ...services, main: { image, after } });
      const running = await connect();
      admission ??= new Admission(client);
      const onRemoved = await admission.enter(machineOptions);
      try {
        return await startMachine({
          engine: running,
          dial,
          imageOf: (container) => prepare(container.image, { timeoutMs, signal }),
          options: machineOptions,
          onRemoved,
        });
      } catch (error) {
        onRemoved();
        throw error;
      }
    },
    leftovers: async () => await dockerLeftovers((await connect()).docker),
  };
}
