import { existsSync } from "node:fs";
import { join } from "node:path";

import { messageOf } from "@envs/core/engine";

import type { RemoteDirectory } from "../remote/client.ts";
import { waitFor } from "../turns.ts";

/** A container server, or a service with machines, that this computer can reach. */
export interface SandboxService {
  readonly kind: "containers" | "machines";
  /** The socket or address of a server; the variable with the key of a service. */
  readonly name: string;
  /** Why it could not be asked. */
  readonly problem: string | undefined;
  /** The machines that ended processes of this computer left at the provider. */
  readonly leftovers: readonly ServiceLeftover[];
}

export interface ServiceLeftover {
  readonly id: string;
  readonly image?: string | undefined;
  remove(): Promise<void>;
}

const timeoutMs = 10_000;

/** Asks every container server and service of machines for leftovers. */
export function sandboxServices(): Promise<readonly SandboxService[]> {
  const containers = containerServers().map(([name, socket]) =>
    ask("containers", name, async () => {
      const { leftovers } = await import("../container/leftovers.ts");
      return await leftovers(socket);
    }),
  );
  const hasKey = (process.env["E2B_API_KEY"] ?? "") !== "";
  const machines = hasKey ? [ask("machines", "E2B_API_KEY", e2bLeftovers)] : [];
  return Promise.all([...containers, ...machines]);
}

/** The container servers by name. A server without a socket is the one of `DOCKER_HOST`. */
function containerServers(): readonly (readonly [name: string, socket: string | undefined])[] {
  const { DOCKER_HOST: host = "", XDG_RUNTIME_DIR: runtime = "/run" } = process.env;
  const sockets = ["/var/run/docker.sock", "/run/podman/podman.sock"];
  sockets.push(join(runtime, "docker.sock"), join(runtime, "podman/podman.sock"));
  const own = host.replace(/^unix:\/\//, "");
  if (own.startsWith("/")) sockets.push(own);
  const found = [...new Set(sockets)].filter((path) => existsSync(path));
  const all = found.map((path) => [path, path] as const);
  return own === "" || own.startsWith("/") ? all : [...all, [host, undefined]];
}

async function e2bLeftovers(): Promise<readonly ServiceLeftover[]> {
  const [{ leftoverMachines }, { Sandbox }] = await Promise.all([
    import("../remote/leftovers.ts"),
    import(e2b) as Promise<{ readonly Sandbox: RemoteDirectory }>,
  ]);
  return await leftoverMachines(Sandbox);
}

/** An optional package, which a user with a key installs. */
const e2b: string = "@e2b/code-interpreter";

async function ask(
  kind: SandboxService["kind"],
  name: string,
  find: () => Promise<readonly ServiceLeftover[]>,
): Promise<SandboxService> {
  try {
    const leftovers = await waitFor(find(), timeoutMs, []);
    if (leftovers !== undefined) return { kind, name, problem: undefined, leftovers };
    return { kind, name, problem: `no answer in ${timeoutMs / 1000} seconds`, leftovers: [] };
  } catch (error) {
    const [, missing] = /Cannot find package '([^']+)'/.exec(messageOf(error)) ?? [];
    const problem =
      missing === undefined
        ? messageOf(error)
        : `not asked. Install ${missing}: npm install ${missing}`;
    return { kind, name, problem, leftovers: [] };
  }
}
