import type { Readable } from "node:stream";

import type { Requirement } from "@envs/core";

import type { ContainerOptions, Service } from "./container.ts";

/**
 * What a machine reaches: nothing, the internet, or the named hosts on ports 80 and 443. A host is a name such as `packages.example.com`, or
 * `*.example.com` for all names below it.
 */
export type Network = "none" | "public" | { readonly allow: readonly string[] };

/** Where the files of a machine come from. */
export type ImageSource =
  /** An image that the engine has, or pulls from its registry. */
  | { readonly name: string }
  /** A folder with a Dockerfile. The build is reused while the files are the same. */
  | { readonly folder: string; readonly dockerfile?: string | undefined }
  /** A tar file with a root file system, such as `docker export` writes. */
  | { readonly rootfs: string };

export interface Resources {
  readonly cpus?: number | undefined;
  /** Bytes of memory of all processes. */
  readonly memory?: number | undefined;
  /** Bytes that the machine may write. */
  readonly storage?: number | undefined;
  readonly processes?: number | undefined;
}

/** A command that must succeed before the machine is used. */
export interface HealthCheck {
  readonly command: Command;
  /** Default 5,000. */
  readonly intervalMs?: number | undefined;
  /** The time of one try. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Failures in this time after the start do not count as a try. Default 0. */
  readonly startPeriodMs?: number | undefined;
  /** The interval in the start period. Default {@link intervalMs}. */
  readonly startIntervalMs?: number | undefined;
  /** The number of failures in a row that make the machine unhealthy. Default 3. */
  readonly retries?: number | undefined;
}

/** The entrypoint of the image starts with a command that waits. */
export interface MachineOptions extends ContainerOptions {
  /** The run that the machine belongs to, for `envs machine doctor`. */
  readonly run?: string | undefined;
  /** Containers that live as long as the machine, by their names. */
  readonly services?: Readonly<Record<string, Service>> | undefined;
  /** Default `none`. */
  readonly network?: Network | undefined;
  /**
   * Whether {@link Machine.setNetwork} may restrict the network later. Default `true`, with services only if they start restricted. Where
   * it holds, services share the loopback of the machine: nothing but the machine reaches them, and two cannot listen on one port.
   */
  readonly canRestrict?: boolean | undefined;
  /**
   * Starts the machine although the engine's memory is used up by others: for one that another machine waits for, such as its grader.
   */
  readonly isUrgent?: boolean | undefined;
  /** The time to build or pull an image, and that of a service to complete before others start. Default 600,000. */
  readonly buildTimeoutMs?: number | undefined;
  /** Closes the machine when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A line for `sh -c`, or a program with its arguments. */
export type Command = string | readonly string[];

export type OutputStream = "stdout" | "stderr";

export interface ExecOptions {
  readonly user?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly stdin?: string | Uint8Array | Readable | undefined;
  /** Ends the command and its processes. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Called with each piece of output as it comes, also beyond {@link maxOutputBytes}. */
  readonly onOutput?: ((stream: OutputStream, data: Uint8Array) => void) | undefined;
  /** The bytes of each stream that the result keeps: the first half and the last half. Default 1 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Ends the command and its processes; `exec` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The end of a command. A failure, or a limit that it exceeded, is part of the result; `exec` does not throw for it. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** Whether output is missing in the middle of a stream. */
  readonly truncated: boolean;
}

export interface CopyOutOptions {
  /** The maximum size of all files. Default 1 GiB. */
  readonly maxBytes?: number | undefined;
}

/** A path that was not copied out of a machine, such as a link that leads outside. */
export interface RefusedPath {
  readonly path: string;
  readonly reason: string;
}

export interface CopyOutResult {
  /** The paths of the copied files, relative to the target. */
  readonly files: readonly string[];
  readonly refused: readonly RefusedPath[];
}

/** A computer for one agent: processes, a writable root and a network, apart from this machine. */
export interface Machine extends AsyncDisposable {
  readonly id: string;
  /** The limits of {@link Resources} that this provider does not enforce. */
  readonly unenforced: readonly (keyof Resources)[];
  /** Runs a command to its end. Processes that it leaves in the background continue. */
  exec(command: Command, options?: ExecOptions): Promise<ExecResult>;
  /** Copies a file or the content of a folder of this machine to a path inside, and creates the folders above it. */
  copyIn(source: string, path: string): Promise<void>;
  /** Writes a file inside, and the folders above it. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * Copies a file, or the content of a folder, into a folder of this machine. Devices, sockets, and links that lead outside the
   * target are refused and listed.
   */
  copyOut(path: string, target: string, options?: CopyOutOptions): Promise<CopyOutResult>;
  /** Reads a file of at most `maxBytes`, by default 16 MiB. Rejects if it is not a regular file. */
  read(path: string, options?: CopyOutOptions): Promise<Uint8Array>;
  /** Changes the network. Connections of the old one are cut. */
  setNetwork(network: Network): Promise<void>;
  /**
   * Makes a server of this machine reachable inside, whatever the network is, and returns its address there. It is how an agent
   * reaches the gateway.
   */
  forward(origin: string): Promise<string>;
  /**
   * Makes a server of the machine, or of a service, reachable for this process, whatever the network is, and returns its address: one of
   * this computer's loopback.
   */
  expose(origin: string): Promise<string>;
  /** Ends every process, and starts the machine again with the files and the network as they are. */
  restart(): Promise<void>;
  /** The output of the machine's main process. */
  logs(): Promise<string>;
  /** A container of {@link MachineOptions.services}. Throws a `ConfigError` for another name. */
  service(name: string): MachineService;
}

/** A container beside a machine. It continues when the machine restarts. */
export type MachineService = Pick<Machine, "exec" | "copyOut" | "read" | "logs">;

/** Properties of a provider that callers can rely on. */
export interface MachineTraits {
  readonly name: string;
  readonly isolation: "container" | "process" | "remote";
  /** Whether it can build a Dockerfile. */
  readonly builds: boolean;
}

/** Something that an ended process left: a machine, a network, a folder. */
export interface Leftover {
  readonly kind: string;
  readonly id: string;
  /** The run of {@link MachineOptions}. */
  readonly run: string | undefined;
  remove(): Promise<void>;
}

/** Creates machines of one kind. It is a {@link Requirement}: list it in `requires` of the environment. */
export interface MachineProvider extends Requirement {
  readonly kind: "machine";
  readonly traits: MachineTraits;
  /** Builds or pulls an image before machines need it, and returns its name at the provider. */
  prepare(image: ImageSource, options?: PrepareOptions): Promise<string>;
  create(options: MachineOptions): Promise<Machine>;
  /** Finds what processes of this computer that have ended left behind. */
  leftovers(): Promise<readonly Leftover[]>;
}

export interface PrepareOptions {
  /** Default 600,000. */
  readonly timeoutMs?: number | undefined;
  /** Called with each line that a build or a pull prints. */
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}
