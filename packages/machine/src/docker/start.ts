import type Docker from "dockerode";

import { BoxMachine } from "../box/box-machine.ts";
import type { ContainerOptions } from "../container.ts";
import type { Machine, MachineOptions, Resources } from "../machine.ts";
import type { Dial } from "../network/dial.ts";
import { insideLabel, labelsOf } from "../owner.ts";
import { DockerBox } from "./docker-box.ts";
import type { Engine } from "./engine.ts";
import { DockerGroup } from "./group.ts";
import { DockerServices, type StartContainer } from "./services.ts";
import { containerSettings, wait } from "./settings.ts";

export interface StartSettings {
  readonly engine: Engine;
  readonly dial: Dial;
  /** Builds or pulls an image, and returns its name. */
  readonly imageOf: (options: Pick<ContainerOptions, "image">) => Promise<string>;
  readonly options: MachineOptions;
  readonly onRemoved: () => void;
}

/**
 * Starts a machine with its services. A container that only waits owns the network, so that a restart of the machine leaves the network as
 * it is. Where the network is never restricted, each service has its own address instead, as Docker Compose does it.
 */
export async function startMachine({
  engine: { docker, isPodman },
  dial,
  imageOf,
  options,
  onRemoved,
}: StartSettings): Promise<Machine> {
  const { services = {}, network = "none", signal } = options;
  const names = Object.keys(services);
  const { canRestrict = names.length === 0 || network !== "public" } = options;
  const labels = labelsOf(options.run);
  const image = await imageOf(options);
  const limitsStorage = await canLimitStorage(docker);
  signal?.throwIfAborted();
  const group = await DockerGroup.create({ docker, isPodman, labels, onRemoved });
  const abort = (): void => void group.remove().catch(() => {});
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const owner = canRestrict
      ? await group.start(ownerSettings(group.name, { image, names, labels, limitsStorage }))
      : undefined;
    let isOnline = true;
    if (owner !== undefined && network !== "public" && names.length > 0) {
      await group.network.disconnect({ Container: owner.id, Force: true });
      isOnline = false;
    }
    const start: StartContainer = async (container, command, name) => {
      const place = {
        image: name === "main" ? image : await imageOf(container),
        command,
        limitsStorage,
        ...(owner === undefined
          ? { network: group.name, alias: name, labels }
          : { network: `container:${owner.id}`, labels: { ...labels, [insideLabel]: "" } }),
      };
      const started = await group.start(containerSettings(container, place), container);
      return new DockerBox({ docker, container: started, group, owner, labels, isOnline });
    };
    const others = await new DockerServices(services, {
      start,
      signal,
      timeoutMs: options.buildTimeoutMs,
    }).ready(options.after);
    const box = await start(options, wait, "main");
    await checkRunning(box, image);
    return await BoxMachine.open({
      box,
      options,
      unenforced: unenforced(options, limitsStorage),
      dial,
      services: Object.fromEntries(
        names.map((name) => [name, { box: others[name]!, options: services[name]! }]),
      ),
    });
  } catch (error) {
    await group.remove().catch(() => {});
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** A container of the machine's image that only waits, and owns the network of all others. */
function ownerSettings(
  network: string,
  place: {
    readonly image: string;
    readonly names: readonly string[];
    readonly labels: Readonly<Record<string, string>>;
    readonly limitsStorage: boolean;
  },
): Docker.ContainerCreateOptions {
  const [shell, ...command] = wait;
  const settings = containerSettings(
    { user: "0:0", entrypoint: [shell!] },
    { ...place, network, command },
  );
  const hosts = ["main", ...place.names].map((name) => `${name}:127.0.0.1`);
  return {
    ...settings,
    HostConfig: { ...settings.HostConfig, ...(place.names.length > 0 && { ExtraHosts: hosts }) },
  };
}

function unenforced(
  { resources }: MachineOptions,
  limitsStorage: boolean,
): readonly (keyof Resources)[] {
  return resources?.storage !== undefined && !limitsStorage ? ["storage"] : [];
}

/** An engine limits what a container writes if its files are on XFS with quotas. */
async function canLimitStorage(docker: Docker): Promise<boolean> {
  const { Driver, DriverStatus = [] } = (await docker.info()) as {
    readonly Driver?: string;
    readonly DriverStatus?: readonly (readonly [string, string])[];
  };
  if (Driver === "btrfs" || Driver === "zfs") return true;
  return DriverStatus.some(([key, value]) => key === "Backing Filesystem" && value === "xfs");
}

async function checkRunning(box: DockerBox, image: string): Promise<void> {
  const { State } = await box.container.inspect();
  if (State.Running) return;
  throw new Error(
    `The main process of ${image} ended with ${State.ExitCode}: ${(await box.logs()).trim().slice(-500) || "no output"}. The entrypoint of the image must run the command that it receives; replace it with the option entrypoint: [].`,
  );
}
