import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";

import { ConfigError } from "@envs/core";

import type { ContainerOptions } from "../container.ts";
import { packFile, packPath } from "../copy/pack.ts";
import { unpackInto } from "../copy/unpack.ts";
import type {
  Command,
  CopyOutOptions,
  CopyOutResult,
  ExecOptions,
  ExecResult,
  Machine,
  MachineOptions,
  MachineService,
  Network,
  Resources,
} from "../machine.ts";
import { checkNetwork, isAllowed } from "../network/allowlist.ts";
import type { Dial } from "../network/dial.ts";
import { Relay } from "../network/relay.ts";
import { Tunnel } from "../network/tunnel.ts";
import type { Box } from "./box.ts";
import { waitUntilHealthy } from "./health.ts";
import { runAsRoot, runCommand } from "./run-command.ts";

const resolver = "/etc/resolv.conf";

export interface BoxMachineOptions {
  readonly box: Box;
  readonly options: MachineOptions;
  readonly unenforced: readonly (keyof Resources)[];
  readonly dial: Dial;
  readonly services: Readonly<Record<string, BoxService>>;
}

/** A container beside the machine. */
export interface BoxService {
  readonly box: Box;
  readonly options: ContainerOptions;
}

/** A machine over what an engine provides: the same commands, copies and networks everywhere. */
export class BoxMachine implements Machine {
  readonly #box: Box;
  readonly #options: MachineOptions;
  readonly #services: Readonly<Record<string, BoxService>>;
  readonly #dial: Dial;
  readonly #forwards = new Map<string, number>();
  readonly #relays = new Map<string, Promise<Relay>>();
  readonly unenforced: readonly (keyof Resources)[];
  #network: Network = "public";
  #names: string | undefined;
  #tunnel: Promise<Tunnel> | undefined;
  #removed: Promise<void> | undefined;

  private constructor({ box, options, unenforced, dial, services }: BoxMachineOptions) {
    this.#services = services;
    this.#box = box;
    this.#options = options;
    this.#dial = dial;
    this.unenforced = unenforced;
  }

  /** Brings a box that is online into the state that the options ask for, or removes it. */
  static async open(settings: BoxMachineOptions): Promise<BoxMachine> {
    const machine = new BoxMachine(settings);
    const { network = "none", healthCheck, env = {}, user, workdir, signal } = settings.options;
    const abort = (): void => void machine.#remove().catch(() => {});
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await machine.setNetwork(network);
      if (healthCheck !== undefined)
        await waitUntilHealthy(settings.box, healthCheck, { user, env, cwd: workdir, signal });
      signal?.throwIfAborted();
      return machine;
    } catch (error) {
      await machine.#remove().catch(() => {});
      signal?.throwIfAborted();
      throw error;
    }
  }

  get id(): string {
    return this.#box.id;
  }

  exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    const { user, env, workdir } = this.#options;
    return runCommand(this.#box, command, {
      ...options,
      user: options.user ?? user,
      env: { ...env, ...options.env },
      cwd: options.cwd ?? workdir,
    });
  }

  async copyIn(source: string, path: string): Promise<void> {
    const { isFolder, archive } = await packPath(source, posix.basename(path));
    await this.#put(isFolder ? path : posix.dirname(path), archive);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await this.#put(posix.dirname(path), packFile(posix.basename(path), content));
  }

  async copyOut(
    path: string,
    target: string,
    { maxBytes = 2 ** 30 }: CopyOutOptions = {},
  ): Promise<CopyOutResult> {
    return await unpackInto(await this.#box.getArchive(absolute(path)), target, maxBytes);
  }

  async read(path: string, { maxBytes = 2 ** 24 }: CopyOutOptions = {}): Promise<Uint8Array> {
    const folder = await mkdtemp(join(tmpdir(), "envs-machine-"));
    try {
      const { files, refused } = await this.copyOut(path, folder, { maxBytes });
      const [file] = files;
      if (file === undefined || files.length > 1 || refused.length > 0 || file.includes("/"))
        throw new Error(`${path} is not a regular file of the machine.`);
      return await readFile(join(folder, file));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async setNetwork(network: Network): Promise<void> {
    checkNetwork(network);
    const isAllowlist = typeof network !== "string";
    this.#network = network;
    (await this.#tunnel)?.cut();
    await this.#box.setOnline(network === "public");
    if (isAllowlist) await this.#startTunnel();
    if (isAllowlist || this.#names !== undefined) await this.#setResolver(isAllowlist);
  }

  async forward(origin: string): Promise<string> {
    const url = httpUrl(origin);
    const tunnel = await this.#startTunnel();
    const port = this.#forwards.get(url.origin) ?? (await tunnel.forward(url, 0));
    this.#forwards.set(url.origin, port);
    return `${url.protocol}//127.0.0.1:${port}${origin.slice(url.origin.length)}`;
  }

  async expose(origin: string): Promise<string> {
    const url = httpUrl(origin);
    const known = this.#relays.get(url.origin) ?? Relay.open(url, () => this.#startTunnel());
    this.#relays.set(url.origin, known);
    return `${url.protocol}//127.0.0.1:${(await known).port}${origin.slice(url.origin.length)}`;
  }

  async restart(): Promise<void> {
    if (this.#box.keepsNetwork) return await this.#box.restart();
    const hadTunnel = this.#tunnel !== undefined;
    await (await this.#tunnel)?.close();
    this.#tunnel = undefined;
    await this.#box.restart();
    if (!hadTunnel) return;
    const tunnel = await this.#startTunnel();
    for (const [origin, port] of this.#forwards) await tunnel.forward(new URL(origin), port);
  }

  service(name: string): MachineService {
    const service = this.#services[name];
    if (service !== undefined)
      return new BoxMachine({ ...service, unenforced: [], dial: this.#dial, services: {} });
    const known = Object.keys(this.#services).join(", ") || "none";
    throw new ConfigError(`The machine has no service ${name}. Its services: ${known}.`);
  }

  logs(): Promise<string> {
    return this.#box.logs();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#remove();
  }

  #remove(): Promise<void> {
    this.#removed ??= (async () => {
      for (const relay of this.#relays.values()) (await relay.catch(() => undefined))?.close();
      await this.#tunnel?.then((tunnel) => tunnel.close()).catch(() => {});
      await this.#box.remove();
    })();
    return this.#removed;
  }

  async #put(folder: string, archive: Parameters<Box["putArchive"]>[1]): Promise<void> {
    await runAsRoot(this.#box, ["mkdir", "-p", "--", absolute(folder)]);
    await this.#box.putArchive(folder, archive);
  }

  #startTunnel(): Promise<Tunnel> {
    const allows = (name: string): boolean => isAllowed(this.#network, name);
    this.#tunnel ??= this.#box
      .startInside()
      .then((inside) => Tunnel.open(inside, { allows, dial: this.#dial }));
    return this.#tunnel;
  }

  /** Names are asked of the tunnel, or as the engine set it up. */
  async #setResolver(isOurs: boolean): Promise<void> {
    this.#names ??= await runAsRoot(this.#box, ["cat", resolver]).catch(() => "");
    const content = isOurs ? "nameserver 127.0.0.1\n" : this.#names;
    await runAsRoot(this.#box, ["sh", "-c", `cat > ${resolver}`], content);
  }
}

function httpUrl(origin: string): URL {
  const url = URL.parse(origin);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new ConfigError(`${JSON.stringify(origin)} is not the address of an HTTP server.`);
}

function absolute(path: string): string {
  if (path.startsWith("/")) return path;
  throw new ConfigError(`The path ${JSON.stringify(path)} in a machine must be absolute.`);
}
