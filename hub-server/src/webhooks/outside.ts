import { Resolver } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";

/** Addresses that only machines near the hub can reach: nobody may have the hub knock there for them. */
const inside = new BlockList();
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
  inside.addSubnet(network, prefix);
for (const [network, prefix] of [
  ["::", 96],
  // Gateways that lead to an address of IPv4, which may be inside.
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  inside.addSubnet(network, prefix, "ipv6");

/** Whether an address belongs to a machine or network near the hub. */
export function isInside(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return inside.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

export function insideError(host: string): Error {
  return new Error(
    `${host} is an address near the hub. Its operator allows those with HUB_WEBHOOKS=any.`,
  );
}

/**
 * A name is judged by what it resolves to at the moment of connecting, so that it cannot change in between. The system's
 * own resolver has two threads for all lookups of a process, which a few names that nobody answers for would hold; this
 * one has none.
 */
export function outsideLookup(resolver?: Pick<Resolver, "resolve4" | "resolve6">): LookupFunction {
  const ask = callbackify((hostname: string) =>
    // A new one each time: a machine may have come into another network.
    outsideAddresses(resolver ?? new Resolver({ timeout: 2000, tries: 2 }), hostname),
  );
  return (hostname, { all }, callback) =>
    ask(hostname, (error, addresses) => {
      if (error !== null) return callback(error, "", 0);
      if (all === true) return callback(null, addresses);
      callback(null, addresses[0].address, addresses[0].family);
    });
}

type Address = { readonly address: string; readonly family: 4 | 6 };

async function outsideAddresses(
  resolver: Pick<Resolver, "resolve4" | "resolve6">,
  hostname: string,
): Promise<[Address, ...Address[]]> {
  // Whoever answers for it, this name is this machine.
  if (/(?:^|\.)localhost\.?$/i.test(hostname)) throw insideError(hostname);
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const addresses: Address[] = [
    ...found(four).map((address) => ({ address, family: 4 as const })),
    ...found(six).map((address) => ({ address, family: 6 as const })),
  ];
  const [first, ...others] = addresses;
  if (first === undefined) throw four.status === "rejected" ? four.reason : insideError(hostname);
  if (addresses.some(({ address }) => isInside(address))) throw insideError(hostname);
  return [first, ...others];
}

function found(answer: PromiseSettledResult<string[]>): readonly string[] {
  return answer.status === "fulfilled" ? answer.value : [];
}
