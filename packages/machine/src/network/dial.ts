import { lookup as systemLookup } from "node:dns";
import { BlockList, connect, type LookupFunction, type Socket } from "node:net";

/** Addresses that are not of the internet: this machine, its networks, and the metadata of cloud providers. */
const local = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  local.addSubnet(address, bits, "ipv4");
for (const [address, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  local.addSubnet(address, bits, "ipv6");

/** Opens a connection to a host that an allowlist has. The socket allows half-open connections. */
export type Dial = (name: string, port: number) => Socket;

/** Connects to a server of the internet. */
export const dialPublic: Dial = (host, port) =>
  connect({ host, port, lookup: publicLookup, allowHalfOpen: true });

/** Looks a name up, and rejects one whose address is not of the internet. */
const publicLookup: LookupFunction = (name, options, done) => {
  systemLookup(name, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, []);
    const reachable = addresses.filter(
      ({ address, family }) => !local.check(address, family === 6 ? "ipv6" : "ipv4"),
    );
    const first = reachable[0];
    if (first === undefined) return done(new Error(`${name} has no address of the internet.`), []);
    if (options.all === true) done(null, reachable);
    else done(null, first.address, first.family);
  });
};
