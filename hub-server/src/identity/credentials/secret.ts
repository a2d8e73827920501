import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const prefix = "envh_";
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43;
const checksumLength = 6;

/** Makes a token: `envh_`, 32 random bytes and their CRC-32 in base 62, so that secret scanners recognize it offline. */
export function newToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), secretLength);
  return `${prefix}${secret}${checksum(secret)}`;
}

/** Whether a text has the format and checksum of a token. */
export function isToken(text: string): boolean {
  if (text.length !== prefix.length + secretLength + checksumLength || !text.startsWith(prefix))
    return false;
  const secret = text.slice(prefix.length, -checksumLength);
  return text.endsWith(checksum(secret));
}

/** Makes a secret for a one-time link, a session or polling: 32 random bytes in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The SHA-256 to store instead of a secret. 32 random bytes need neither a salt nor a slow hash. */
export function secretHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The first and last four characters of a token, for lists. */
export function tokenPreview(token: string): string {
  return `${token.slice(0, prefix.length + 4)}…${token.slice(-4)}`;
}

function checksum(secret: string): string {
  return base62(BigInt(crc32(secret)), checksumLength);
}

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; rest > 0n; rest /= 62n)
    digits = `${alphabet[Number(rest % 62n)] ?? ""}${digits}`;
  return digits.padStart(length, "0");
}
