import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { appendFile, readFile, stat } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

const line = /^(?<host>[A-Za-z0-9][A-Za-z0-9._-]{0,62}) (?<hash>[0-9a-f]{64})$/;

/** A new token. It has 256 bits, so a fast hash of it can be stored. */
function createToken(): string {
  return `envsq_${randomBytes(32).toString("base64url")}`;
}

/** The line of a token file: the name of the host, and the SHA-256 of its token. */
function tokenLine(host: string, token: string): string {
  const written = `${host} ${hashOf(token).toString("hex")}`;
  if (line.test(written)) return written;
  throw new ConfigError(
    `The host name ${JSON.stringify(host)} is not valid. Use at most 63 letters, digits, dots, dashes and underscores.`,
  );
}

/** Appends a host with a new token to a file. Returns the token, which is stored nowhere. */
export async function addToken(file: string, host: string): Promise<string> {
  const token = createToken();
  const written = tokenLine(host, token);
  await appendFile(file, `${written}\n`, { mode: 0o600 });
  return token;
}

/** Returns the host that a token belongs to. */
export type HostOf = (token: string) => Promise<string | undefined>;

/** Reads the hosts of a token file, again when it changes: a removed line revokes its token. */
export async function tokenFile(file: string): Promise<HostOf> {
  let version = await versionOf(file);
  let hosts = await readTokens(file);
  return async (token) => {
    const current = await versionOf(file);
    if (current !== version) {
      hosts = await readTokens(file);
      version = current;
    }
    return hostIn(hosts, token);
  };
}

interface KnownToken {
  readonly host: string;
  readonly hash: Buffer;
}

/** Compares with every token, so that the time does not depend on which one is right. */
function hostIn(tokens: readonly KnownToken[], token: string): string | undefined {
  const hash = hashOf(token);
  let found: string | undefined;
  for (const known of tokens) if (timingSafeEqual(known.hash, hash)) found = known.host;
  return found;
}

async function readTokens(file: string): Promise<readonly KnownToken[]> {
  const lines = (await readFile(file, "utf8")).split("\n").map((text) => text.trim());
  return lines.flatMap((text, index) => {
    if (text === "" || text.startsWith("#")) return [];
    const { host, hash } = line.exec(text)?.groups ?? {};
    if (host === undefined || hash === undefined)
      throw new ConfigError(
        `Line ${index + 1} of the token file ${file} is not a host and the SHA-256 of its token. Add hosts with: envs queue token <host> --tokens ${file}`,
      );
    return [{ host, hash: Buffer.from(hash, "hex") }];
  });
}

async function versionOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    throw new ConfigError(
      `Cannot read the token file ${file}: ${messageOf(error)}. Add a host with: envs queue token <host> --tokens ${file}`,
      [],
      { cause: error },
    );
  }
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
