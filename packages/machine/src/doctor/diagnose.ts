import { statfs } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { messageOf } from "@envs/core/engine";

import { docker } from "../docker/docker.ts";
import { dockerAt, engineOf } from "../docker/engine.ts";
import type { Leftover, Machine, MachineProvider, Network } from "../machine.ts";
import { runLabel } from "../owner.ts";

/** What an engine offers to machines. */
export interface EngineReport {
  readonly name: "docker" | "podman";
  readonly version: string;
  readonly isRootless: boolean;
  readonly system: string;
  readonly cpus: number;
  /** In bytes, as all sizes. */
  readonly memory: number;
  readonly storage: { readonly driver: string; readonly folder: string };
  /** Free space of the folder; `undefined` for an engine of another computer. */
  readonly freeDisk: number | undefined;
  /** Containers of machines, of all processes. */
  readonly running: number;
}

/** A check of a machine. */
export interface MachineCheck {
  readonly name: string;
  readonly problem: string | undefined;
  readonly milliseconds: number;
}

export interface MachineReport {
  /** Why no engine answers. */
  readonly problem: string | undefined;
  readonly engine: EngineReport | undefined;
  readonly checks: readonly MachineCheck[];
  readonly leftovers: readonly Pick<Leftover, "kind" | "id" | "run">[];
}

export interface DiagnoseOptions {
  readonly socket: string | undefined;
  /** The image of the machine that is tried; `undefined` to try none. */
  readonly image: string | undefined;
  /** Whether to remove what ended processes left. */
  readonly clean: boolean;
}

/** Looks at the engine, removes or lists what ended processes left, and tries a machine. */
export async function diagnose({ socket, image, clean }: DiagnoseOptions): Promise<MachineReport> {
  const provider = docker({ socket });
  try {
    const engine = await describeEngine(socket);
    if (clean) for (const leftover of await provider.leftovers()) await leftover.remove();
    const leftovers = await provider.leftovers();
    const checks = image === undefined ? [] : await tryMachine(provider, image);
    return {
      problem: undefined,
      engine,
      checks,
      leftovers: leftovers.map(({ kind, id, run }) => ({ kind, id, run })),
    };
  } catch (error) {
    return { problem: messageOf(error), engine: undefined, checks: [], leftovers: [] };
  }
}

interface Info {
  readonly ServerVersion?: string;
  readonly OperatingSystem?: string;
  readonly NCPU?: number;
  readonly MemTotal?: number;
  readonly Driver?: string;
  readonly DockerRootDir?: string;
  readonly SecurityOptions?: readonly string[];
  readonly Rootless?: boolean;
}

async function describeEngine(socket: string | undefined): Promise<EngineReport> {
  const { docker: client, isPodman } = await engineOf(dockerAt(socket));
  const info = (await client.info()) as Info;
  const containers = await client.listContainers({ filters: { label: [runLabel] } });
  const folder = info.DockerRootDir ?? "";
  const options = info.SecurityOptions ?? [];
  return {
    name: isPodman ? "podman" : "docker",
    version: info.ServerVersion ?? "unknown",
    isRootless: info.Rootless === true || options.some((option) => option.includes("rootless")),
    system: info.OperatingSystem ?? "unknown",
    cpus: info.NCPU ?? 0,
    memory: info.MemTotal ?? 0,
    storage: { driver: info.Driver ?? "unknown", folder },
    freeDisk: await statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    ),
    running: containers.length,
  };
}

/** Starts one machine, and tries its networks one after the other. */
async function tryMachine(provider: MachineProvider, name: string): Promise<MachineCheck[]> {
  const checks: MachineCheck[] = [];
  const check = async (what: string, act: () => Promise<void>): Promise<void> => {
    const started = performance.now();
    const problem = await act().then(() => undefined, messageOf);
    checks.push({ name: what, problem, milliseconds: Math.round(performance.now() - started) });
  };
  let machine: Machine | undefined;
  try {
    await check("start", async () => {
      machine = await provider.create({ image: { name }, run: "doctor" });
    });
    const open = machine;
    if (open === undefined) return checks;
    const interfaces = async (network: Network): Promise<number> => {
      await open.setNetwork(network);
      const { stdout } = await open.exec("ls /sys/class/net");
      return stdout.split("\n").filter((line) => line !== "" && line !== "lo").length;
    };
    await check("network none", async () => {
      if ((await interfaces("none")) > 0) throw new Error("the machine has an interface");
    });
    await check("network public", async () => {
      if ((await interfaces("public")) === 0) throw new Error("the machine has no interface");
    });
    await check("network by an allowlist", async () => {
      if ((await interfaces({ allow: ["allowed.example"] })) > 0)
        throw new Error("the machine has an interface");
    });
    await check("server of this computer", async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        await open.forward(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      } finally {
        server.close();
      }
    });
    await check("restart", () => open.restart());
  } finally {
    await machine?.[Symbol.asyncDispose]();
  }
  return checks;
}
