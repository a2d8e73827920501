import { Resolver } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";

/** Networks that are not reachable from the internet. The hub does not send requests to them (SSRF). */
const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  privateNetworks.addSubnet(network, prefix);
for (const [network, prefix] of [
  ["::", 96],
  // Gateways to IPv4 (NAT64 and 6to4), whose target may be private.
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  privateNetworks.addSubnet(network, prefix, "ipv6");

export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return privateNetworks.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

export function privateAddressError(host: string): Error {
  return new Error(
    `${host} is a private address. The hub's operator can allow private addresses with HUB_WEBHOOKS=any.`,
  );
}

/**
 * A DNS lookup for connections that rejects private addresses. It checks the address of the actual connection, so that DNS
 * rebinding has no effect. It does not use `getaddrinfo`, whose few threads slow names would block.
 */
export function publicLookup(resolver?: Pick<Resolver, "resolve4" | "resolve6">): LookupFunction {
  const resolve = callbackify((hostname: string) =>
    // A new resolver each time, since a resolver reads the system's DNS servers only once.
    publicAddresses(resolver ?? new Resolver({ timeout: 2000, tries: 2 }), hostname),
  );
  return (hostname, { all }, callback) =>
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, "", 0);
      if (all === true) return callback(null, addresses);
      callback(null, addresses[0].address, addresses[0].family);
    });
}

type Address = { readonly address: string; readonly family: 4 | 6 };

async function publicAddresses(
  resolver: Pick<Resolver, "resolve4" | "resolve6">,
  hostname: string,
): Promise<[Address, ...Address[]]> {
  // `localhost` always resolves to this machine.
  if (/(?:^|\.)localhost\.?$/i.test(hostname)) throw privateAddressError(hostname);
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const addresses: Address[] = [
    ...addressesIn(four).map((address) => ({ address, family: 4 as const })),
    ...addressesIn(six).map((address) => ({ address, family: 6 as const })),
  ];
  const [first, ...others] = addresses;
  if (first === undefined)
    throw four.status === "rejected" ? four.reason : privateAddressError(hostname);
  if (addresses.some(({ address }) => isPrivateAddress(address)))
    throw privateAddressError(hostname);
  return [first, ...others];
}

function addressesIn(result: PromiseSettledResult<string[]>): readonly string[] {
  return result.status === "fulfilled" ? result.value : [];
}
