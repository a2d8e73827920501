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
  const { hasQuotas: limitsStorage, hasCgroups } = await limitsOf(docker);
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
      unenforced: unenforced(options, { hasQuotas: limitsStorage, hasCgroups }),
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

/** Which limits an engine enforces. */
interface Limits {
  /** Of what a container writes: on XFS with quotas, btrfs and ZFS. */
  readonly hasQuotas: boolean;
  /** Of memory, processors and processes: not without root on the first version of cgroups. */
  readonly hasCgroups: boolean;
}

function unenforced(
  { resources = {} }: MachineOptions,
  { hasQuotas, hasCgroups }: Limits,
): readonly (keyof Resources)[] {
  const names = Object.keys(resources) as (keyof Resources)[];
  return names.filter(
    (name) => resources[name] !== undefined && (name === "storage" ? !hasQuotas : !hasCgroups),
  );
}

async function limitsOf(docker: Docker): Promise<Limits> {
  const info = (await docker.info()) as {
    readonly Driver?: string;
    readonly DriverStatus?: readonly (readonly [string, string])[];
    readonly CgroupVersion?: string;
    readonly SecurityOptions?: readonly string[];
    /** Podman's word for the security option of Docker. */
    readonly Rootless?: boolean;
  };
  const { Driver = "", DriverStatus = [], SecurityOptions = [] } = info;
  const isRootless =
    info.Rootless === true || SecurityOptions.some((option) => option.includes("rootless"));
  return {
    hasQuotas:
      Driver === "btrfs" ||
      Driver === "zfs" ||
      DriverStatus.some(([key, value]) => key === "Backing Filesystem" && value === "xfs"),
    hasCgroups: !(isRootless && info.CgroupVersion === "1"),
  };
}

async function checkRunning(box: DockerBox, image: string): Promise<void> {
  const { State } = await box.container.inspect();
  if (State.Running) return;
  throw new Error(
    `The main process of ${image} ended with ${State.ExitCode}: ${(await box.logs()).trim().slice(-500) || "no output"}. The entrypoint of the image must run the command that it receives; replace it with the option entrypoint: [].`,
  );
}
