import { type EnvironmentManifest, manifestFile } from "@envs/hub-client";
import { packageContentHash } from "@envs/records";

import type { TestHub } from "./hub.ts";
import { environmentManifest } from "./manifest.ts";
import { publishOrThrow, type PublishOptions } from "./publish.ts";

/** A version of an environment to publish. */
export interface PublishEnvironment extends PublishOptions {
  /** Additional fields of the manifest. */
  readonly manifest?: Partial<EnvironmentManifest>;
}

/** Publishes a package with files and a manifest that fits them, as `envs publish` does. */
export async function publishEnvironment(
  server: Pick<TestHub, "request">,
  name: string,
  { manifest, ...options }: PublishEnvironment,
): Promise<void> {
  const { version = "1.0.0", files = {} } = options;
  const hashed = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: new Uint8Array(Buffer.from(content)),
  }));
  const complete = {
    ...environmentManifest(await packageContentHash(hashed)),
    name: name.slice(name.indexOf("/") + 1),
    package: { name, version },
    ...manifest,
  };
  await publishOrThrow(server, name, {
    ...options,
    files: { ...files, [manifestFile]: JSON.stringify(complete) },
  });
}
