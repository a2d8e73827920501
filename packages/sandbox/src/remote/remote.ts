import { ConfigError } from "@envs/core";

import { MachineSandbox } from "../machine/machine-sandbox.ts";
import { ownerLabel, ownerOf } from "../owner.ts";
import type { SandboxProvider } from "../sandbox.ts";
import type { RemoteClient } from "./client.ts";
import { ServiceMachine } from "./service-machine.ts";

export { leftoverMachines } from "./leftovers.ts";
export type { LeftoverMachine } from "./leftovers.ts";
export type {
  RemoteClient,
  RemoteCreateOptions,
  RemoteDirectory,
  RemoteExecution,
  RemoteMachine,
  RemoteRunOptions,
} from "./client.ts";

export interface RemoteOptions {
  /** The language of the code, as the service names it. Default `python`. */
  readonly language?: string | undefined;
  /** The maximum lifetime of a machine in milliseconds. The service ends it if this process cannot. Default 1 hour. */
  readonly lifetime?: number | undefined;
}

/**
 * Machines of a service, by its own client: `remote(Sandbox)` with `Sandbox` of `@e2b/code-interpreter`. They have no network. The
 * service decides on memory, processes and disk; the limits on time and output are ours.
 */
export function remote(
  client: RemoteClient,
  { language = "python", lifetime = 3_600_000 }: RemoteOptions = {},
): SandboxProvider {
  return {
    kind: "sandbox",
    name: "remote",
    traits: {
      name: "remote",
      language,
      persistent: true,
      isolation: "remote",
      functions: false,
    },
    check: async () => {
      if (typeof client.create !== "function")
        throw new ConfigError(
          "remote() needs the client of a service. Pass the class Sandbox of @e2b/code-interpreter.",
        );
    },
    async create(options = {}) {
      const create = () =>
        client.create({
          timeoutMs: lifetime,
          allowInternetAccess: false,
          metadata: { [ownerLabel]: ownerOf(process.pid) },
        });
      return await MachineSandbox.open(() => ServiceMachine.start(create, language), options);
    },
  };
}
