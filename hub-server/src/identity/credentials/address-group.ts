import { isIP } from "node:net";

/** The part of an IP address that identifies a household: an IPv4 address, or the first 64 bits of an IPv6 address. */
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
