import { isIP } from "node:net";

import { ConfigError } from "@envs/core";

import type { Network } from "../machine.ts";

const hostName = /^(?:\*\.)?(?:[a-z\d_](?:[a-z\d_-]*[a-z\d])?\.)*[a-z\d](?:[a-z\d-]*[a-z\d])?$/;

/** Throws a `ConfigError` for a host that an allowlist cannot contain. */
export function checkNetwork(network: Network): void {
  if (typeof network === "string") return;
  for (const host of network.allow) {
    if (isIP(host) !== 0 || /^[\d.:a-f]+\/\d+$/.test(host))
      throw new ConfigError(
        `The allowed host ${host} is an address. Machines allow hosts by name; write the name of the server.`,
      );
    if (!hostName.test(host.toLowerCase()))
      throw new ConfigError(
        `The allowed host ${JSON.stringify(host)} is not a host name. Write a name such as packages.example.com, or *.example.com, without scheme, port and path.`,
      );
  }
}

/** Whether an allowlist has a name. `*.example.com` allows every name below `example.com`, and not that itself. */
export function isAllowed(network: Network, name: string): boolean {
  if (typeof network === "string") return false;
  const wanted = name.toLowerCase().replace(/\.$/, "");
  return network.allow
    .map((host) => host.toLowerCase())
    .some((host) => (host.startsWith("*.") ? wanted.endsWith(host.slice(1)) : wanted === host));
}
