import { randomUUID } from "node:crypto";

import { BoxMachine } from "../box/box-machine.ts";
import type { Machine, MachineOptions, MachineProvider } from "../machine.ts";
import { checkNetwork } from "../network/allowlist.ts";
import { type Dial, dialPublic } from "../network/dial.ts";
import { labelsOf } from "../owner.ts";
import { DockerBox } from "./docker-box.ts";
import { dockerAt, type Engine, engineOf, ignoreMissing } from "./engine.ts";
import { prepareImage } from "./image.ts";
import { dockerLeftovers } from "./leftovers.ts";
import { containerOptions } from "./settings.ts";

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
  const connect = (): Promise<Engine> => {
    engine ??= engineOf(client).catch((error: unknown) => {
      engine = undefined;
      throw error;
    });
    return engine;
  };
  const prepare: MachineProvider["prepare"] = async (image, prepareOptions = {}) => {
    await connect();
    return await prepareImage({ docker: client, buildNetwork }, image, prepareOptions);
  };
  return {
    kind: "machine",
    name: "docker",
    traits: { name: "docker", isolation: "container", builds: true },
    check: async () => void (await connect()),
    prepare,
    async create(machineOptions) {
      checkNetwork(machineOptions.network ?? "none");
      const { image: source, buildTimeoutMs: timeoutMs, signal } = machineOptions;
      const image = await prepare(source, { timeoutMs, signal });
      return await start(await connect(), image, machineOptions, dial);
    },
    leftovers: async () => await dockerLeftovers((await connect()).docker),
  };
}

async function start(
  { docker: client, isPodman }: Engine,
  image: string,
  options: MachineOptions,
  dial: Dial,
): Promise<Machine> {
  options.signal?.throwIfAborted();
  const labels = labelsOf(options.run);
  const name = `envs-machine-${randomUUID()}`;
  const limitsStorage = await canLimitStorage(client);
  const network = await client.createNetwork({
    Name: name,
    Driver: "bridge",
    Labels: { ...labels },
    Options: isPodman ? { isolate: "true" } : {},
  });
  try {
    const place = { image, network: name, labels, limitsStorage };
    const container = await client.createContainer(containerOptions(options, place));
    const box = new DockerBox({ docker: client, container, network, labels });
    try {
      await container.start();
      await checkRunning(box, container, image);
    } catch (error) {
      await box.remove().catch(() => {});
      throw error;
    }
    const hasStorage = options.resources?.storage !== undefined && !limitsStorage;
    const unenforced = hasStorage ? (["storage"] as const) : [];
    return await BoxMachine.open({ box, options, unenforced, dial });
  } catch (error) {
    await ignoreMissing(network.remove({ force: true })).catch(() => {});
    throw error;
  }
}

/** An engine limits what a container writes if its files are on XFS with quotas. */
async function canLimitStorage(client: Engine["docker"]): Promise<boolean> {
  const { Driver, DriverStatus = [] } = (await client.info()) as {
    readonly Driver?: string;
    readonly DriverStatus?: readonly (readonly [string, string])[];
  };
  if (Driver === "btrfs" || Driver === "zfs") return true;
  return DriverStatus.some(([key, value]) => key === "Backing Filesystem" && value === "xfs");
}

async function checkRunning(
  box: DockerBox,
  container: Awaited<ReturnType<Engine["docker"]["createContainer"]>>,
  image: string,
): Promise<void> {
  const { State } = await container.inspect();
  if (State.Running) return;
  throw new Error(
    `The main process of ${image} ended with ${State.ExitCode}: ${(await box.logs()).trim().slice(-500) || "no output"}. The entrypoint of the image must run the command that it receives; replace it with the option entrypoint: [].`,
  );
}
