import { readFile } from "node:fs/promises";
import { Duplex, PassThrough, type Readable } from "node:stream";

import { ConfigError } from "@envs/core";
import type Docker from "dockerode";

import type { Box, BoxCommand, InsideProcess } from "../box/box.ts";
import { packFile } from "../copy/pack.ts";
import { insideLabel } from "../owner.ts";
import { ignoreMissing, statusOf } from "./engine.ts";
import { execute, startExec } from "./exec.ts";
import type { DockerGroup } from "./group.ts";
import { nodeImage } from "./inside-image.ts";
import { ulimits } from "./settings.ts";

const extension = import.meta.url.endsWith(".ts") ? "ts" : "mjs";
const source = new URL(`../network/inside.${extension === "ts" ? "ts" : "js"}`, import.meta.url);
const insideMemory = 256 * 1024 ** 2;

export interface DockerBoxSettings {
  readonly docker: Docker;
  readonly container: Docker.Container;
  readonly group: DockerGroup;
  /** The container whose network this one uses; `undefined` if it has its own, which stays online. */
  readonly owner: Docker.Container | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly isOnline: boolean;
}

/** A container of a machine. */
export class DockerBox implements Box {
  readonly #settings: DockerBoxSettings;
  #isOnline: boolean;

  constructor(settings: DockerBoxSettings) {
    this.#settings = settings;
    this.#isOnline = settings.isOnline;
  }

  get docker(): Docker {
    return this.#settings.docker;
  }

  get container(): Docker.Container {
    return this.#settings.container;
  }

  get keepsNetwork(): boolean {
    return this.#settings.owner !== undefined;
  }

  get id(): string {
    return this.#settings.container.id;
  }

  run(command: BoxCommand): Promise<number> {
    return execute(this.#settings, command);
  }

  async putArchive(path: string, archive: Readable): Promise<void> {
    await this.#settings.container.putArchive(archive, { path });
  }

  async getArchive(path: string): Promise<Readable> {
    try {
      return (await this.#settings.container.getArchive({ path })) as unknown as Readable;
    } catch (error) {
      if (statusOf(error) === 404)
        throw new Error(`The machine has no file ${path}.`, { cause: error });
      throw error;
    }
  }

  async setOnline(online: boolean): Promise<void> {
    if (online === this.#isOnline) return;
    const { owner, group } = this.#settings;
    if (owner === undefined)
      throw new ConfigError(
        "The network of this machine cannot be restricted: its services have their own addresses. Create it with canRestrict: true.",
      );
    if (online) await group.network.connect({ Container: owner.id });
    else await group.network.disconnect({ Container: owner.id, Force: true });
    this.#isOnline = online;
  }

  async startInside(): Promise<InsideProcess> {
    const { docker, container: own, owner = own, labels } = this.#settings;
    const { name, node } = await nodeImage(docker);
    const script = `/inside.${extension}`;
    const container = await docker.createContainer({
      Image: name,
      Entrypoint: [node],
      Cmd: ["-e", "setInterval(() => {}, 2 ** 30)"],
      User: "0:0",
      StopSignal: "SIGKILL",
      Env: ["NODE_OPTIONS=--disable-warning=ExperimentalWarning"],
      Labels: { ...labels, [insideLabel]: "" },
      HostConfig: {
        NetworkMode: `container:${owner.id}`,
        Memory: insideMemory,
        CapDrop: ["ALL"],
        CapAdd: ["NET_BIND_SERVICE"],
        Ulimits: ulimits,
      },
    });
    const close = (): Promise<void> => ignoreMissing(container.remove({ force: true }));
    try {
      await container.putArchive(packFile(script.slice(1), await readFile(source)), { path: "/" });
      await container.start();
      // An exec, because engines differ in what they pass on to the main process.
      const exec = await container.exec({
        Cmd: [node, script],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
      });
      const streams = await startExec(exec);
      const output = new PassThrough();
      docker.modem.demuxStream(streams, output, new PassThrough().resume());
      for (const event of ["end", "close", "error"]) streams.on(event, () => output.end());
      return { stream: Duplex.from({ readable: output, writable: streams }), close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  async restart(): Promise<void> {
    await this.#settings.container.restart({ t: 0 });
  }

  async logs(): Promise<string> {
    const log = await this.#settings.container.logs({ stdout: true, stderr: true });
    return textOf(log);
  }

  async remove(): Promise<void> {
    await this.#settings.group.remove();
  }
}

/** The text of a multiplexed stream: frames with a stream's number, three zeros and a length. */
function textOf(log: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= log.length;) {
    const length = log.readUInt32BE(at + 4);
    parts.push(log.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(parts).toString("utf8");
}
