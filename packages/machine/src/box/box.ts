import type { Duplex, Readable } from "node:stream";

import type { OutputStream } from "../machine.ts";

/** A command as an engine runs it. */
export interface BoxCommand {
  readonly argv: readonly string[];
  readonly user: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly stdin: Uint8Array | Readable;
  readonly onOutput: (stream: OutputStream, data: Buffer) => void;
}

/** What an engine provides for one machine; `BoxMachine` makes a `Machine` of it. */
export interface Box {
  readonly id: string;
  /** Runs a command until its own process ends, and returns its exit code. */
  run(command: BoxCommand): Promise<number>;
  /** Extracts a tar archive into an existing folder, as root. */
  putArchive(folder: string, archive: Readable): Promise<void>;
  /** A tar archive of a file or a folder, whose entries start with the last part of the path. */
  getArchive(path: string): Promise<Readable>;
  /** Connects the machine to the internet, or cuts it off: only its loopback remains. */
  setOnline(online: boolean): Promise<void>;
  /** Starts our program of `network/inside.ts` in the network of the machine, and returns its standard streams. */
  startInside(): Promise<InsideProcess>;
  /** Whether a restart leaves the network and the way out as they are. */
  readonly keepsNetwork: boolean;
  restart(): Promise<void>;
  logs(): Promise<string>;
  remove(): Promise<void>;
}

export interface InsideProcess {
  readonly stream: Duplex;
  close(): Promise<void>;
}
