import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { extract } from "tar-stream";

import type { AdapterFiles } from "../backend.ts";

const maxBytes = 4 * 2 ** 30;

/** Reads an archive of a service: a tar file, which may be compressed. Ignores its other files. */
export async function readAdapterArchive(archive: Uint8Array): Promise<AdapterFiles> {
  const files = new Map<string, Uint8Array>();
  try {
    const isCompressed = archive[0] === 0x1f && archive[1] === 0x8b;
    const tar = isCompressed ? gunzipSync(archive, { maxOutputLength: maxBytes }) : archive;
    for await (const entry of Readable.from([tar]).pipe(extract())) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of entry) chunks.push(chunk as Uint8Array);
      const name = entry.header.name.replace(/.*\//u, "");
      if (entry.header.type === "file") files.set(name, Buffer.concat(chunks));
    }
  } catch (error) {
    throw new ConfigError(
      `The service sent an adapter that is not a complete tar archive: ${messageOf(error)}. Try again.`,
      [],
      { cause: error },
    );
  }
  const [config, weights] = ["adapter_config.json", "adapter_model.safetensors"].map((name) =>
    files.get(name),
  );
  if (config === undefined || weights === undefined)
    throw new ConfigError(
      `The service sent an archive without adapter_config.json and adapter_model.safetensors. It contains ${[...files.keys()].join(", ")}.`,
    );
  return { config, weights };
}
