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
  // Gateways that lead to an address of IPv4, which may be privateNetworks.
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
    `${host} is an address near the hub. Its operator allows those with HUB_WEBHOOKS=any.`,
  );
}

/**
 * A name is judged by what it resolves to at the moment of connecting, so that it cannot change in between. The system's
 * own resolver has two threads for all lookups of a process, which a few names that nobody answers for would hold; this
 * one has none.
 */
export function publicLookup(resolver?: Pick<Resolver, "resolve4" | "resolve6">): LookupFunction {
  const ask = callbackify((hostname: string) =>
    // A resolver reads the system's DNS servers once, and they may have changed.
    publicAddresses(resolver ?? new Resolver({ timeout: 2000, tries: 2 }), hostname),
  );
  return (hostname, { all }, callback) =>
    ask(hostname, (error, addresses) => {
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

function addressesIn(answer: PromiseSettledResult<string[]>): readonly string[] {
  return answer.status === "fulfilled" ? answer.value : [];
}
