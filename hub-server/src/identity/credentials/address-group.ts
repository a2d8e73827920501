import { isIP } from "node:net";

/** What one household has of addresses: an IPv4 address, or the 64 bits of an IPv6 network. */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIP(plain) !== 6) return plain;
  const [before = "", after] = plain.replace(/%.*$/, "").split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  const network = [...head, ...zeros, ...tail].slice(0, 4);
  return `${network.map((part) => part.toLowerCase().replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
