import { randomInt } from "node:crypto";

/** 16 characters from an alphabet of 32 without look-alikes: 80 random bits. */
export function newRunId(): string {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  return Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join("");
}
