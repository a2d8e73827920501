import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { ConfigError } from "@envs/core";

import { type DataFile, extensionOf } from "./data-file.ts";
import { download } from "./download.ts";
import { NetworkError, request, ResponseError } from "./request.ts";

/** The longest time without a byte from the server. */
const stallTimeout = 30_000;

/** A file of a web server. It is kept on this machine under its `ETag`, and asked for again once per iteration. */
export function urlFile(url: URL): DataFile {
  // Omits the query, which contains the secrets of signed URLs.
  const name = `${url.origin}${url.pathname}`;
  const path = () =>
    fetchFile(url, name).catch((error: unknown) => {
      if (!(error instanceof NetworkError || error instanceof ResponseError)) throw error;
      throw new ConfigError(
        `Cannot download ${name}: ${error.message}. Check the URL and the network, or download the file and pass its path.`,
        [],
        { cause: error },
      );
    });
  return { name, extension: extensionOf(url.pathname), path };
}

async function fetchFile(url: URL, name: string): Promise<string> {
  const folder = join(cacheFolder(), hashOf(url.href));
  try {
    const { version, size } = await versionOf(url);
    const target = join(folder, hashOf(version));
    await download({
      name,
      url: url.href,
      target,
      size,
      checksum: undefined,
      stallTimeout,
      headers: {},
    });
    return target;
  } catch (error) {
    const isAway =
      error instanceof NetworkError || (error instanceof ResponseError && error.status >= 500);
    const cached = isAway ? await newestFile(folder) : undefined;
    if (cached === undefined) throw error;
    return cached;
  }
}

/** Identifies the bytes of a URL. Asks with GET, because signed URLs allow no other method. */
async function versionOf(url: URL): Promise<{ version: string; size: number | undefined }> {
  const headers = { range: "bytes=0-0", "accept-encoding": "identity" };
  return request(url.href, { headers, stallTimeout }, async (response) => {
    await response.body?.cancel();
    const [, total] = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
    const length =
      total ?? (response.status === 200 ? response.headers.get("content-length") : null);
    const validators = ["etag", "last-modified"].map((header) => response.headers.get(header));
    const size = length === null ? undefined : Number(length);
    return { version: JSON.stringify([...validators, length]), size };
  });
}

async function newestFile(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const complete = names
    .filter((name) => !name.endsWith(".part"))
    .map((name) => join(folder, name));
  const times = await Promise.all(complete.map(async (path) => (await stat(path)).mtimeMs));
  return complete[times.indexOf(Math.max(...times))];
}

/** The folder for downloads of URLs and for indexes: `~/.cache/envs/data`, or below `$XDG_CACHE_HOME`. */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "envs", "data");
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
