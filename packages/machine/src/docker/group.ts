import { randomUUID } from "node:crypto";

import type Docker from "dockerode";

import type { ContainerOptions } from "../container.ts";
import { packPath } from "../copy/pack.ts";
import { ignoreMissing } from "./engine.ts";

export interface GroupSettings {
  readonly docker: Docker;
  readonly isPodman: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly onRemoved: () => void;
}

/** Everything that one machine has at an engine: a network, containers, volumes. It ends as a whole. */
export class DockerGroup {
  readonly #settings: GroupSettings;
  readonly #containers: Docker.Container[] = [];
  readonly #volumes = new Map<string, Promise<string>>();
  readonly name = `envs-machine-${randomUUID()}`;
  readonly network: Docker.Network;
  #isRemoved = false;

  private constructor(settings: GroupSettings, network: (name: string) => Docker.Network) {
    this.#settings = settings;
    this.network = network(this.name);
  }

  static async create(settings: GroupSettings): Promise<DockerGroup> {
    const { docker, isPodman, labels } = settings;
    const group = new DockerGroup(settings, (name) => docker.getNetwork(name));
    await docker.createNetwork({
      Name: group.name,
      Driver: "bridge",
      Labels: { ...labels },
      Options: isPodman ? { isolate: "true" } : {},
    });
    return group;
  }

  /** Creates a container, copies its files in and starts it. */
  async start(
    settings: Docker.ContainerCreateOptions,
    { volumes = {}, files = {} }: Pick<ContainerOptions, "volumes" | "files"> = {},
  ): Promise<Docker.Container> {
    const binds = Object.entries(volumes).map(
      async ([path, volume]) => `${await this.#volume(volume)}:${path}`,
    );
    const container = await this.#settings.docker.createContainer({
      ...settings,
      HostConfig: { ...settings.HostConfig, Binds: await Promise.all(binds) },
    });
    this.#containers.push(container);
    // A container that was created while the group was removed would stay.
    if (this.#isRemoved) await this.remove();
    for (const [path, source] of Object.entries(files))
      await container.putArchive((await packPath(source, path.slice(1), path.slice(1))).archive, {
        path: "/",
      });
    await container.start();
    return container;
  }

  #volume(name: string): Promise<string> {
    const created = this.#volumes.get(name) ?? this.#createVolume(`${this.name}-${name}`);
    this.#volumes.set(name, created);
    return created;
  }

  async #createVolume(name: string): Promise<string> {
    const { docker, labels } = this.#settings;
    await docker.createVolume({ Name: name, Labels: { ...labels } });
    return name;
  }

  /** The last container first: others may use its network. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    for (const container of this.#containers.toReversed())
      await ignoreMissing(container.remove({ force: true, v: true }));
    for (const volume of this.#volumes.values())
      await ignoreMissing(this.#settings.docker.getVolume(await volume).remove({ force: true }));
    await ignoreMissing(this.network.remove({ force: true }));
    this.#settings.onRemoved();
  }
}
