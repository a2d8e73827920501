import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { EnvironmentManifest } from "@envs/hub-client";
import { packageContentHash } from "@envs/records";

import type { TestHub, TestUser } from "../support/hub.ts";
import { publishOrThrow } from "../support/publish.ts";

const environments = join(import.meta.dirname, "../../../environments");

interface Publication {
  /** The name without its scope, which is the user's. */
  readonly name: string;
  readonly version?: string;
  /** Changes the bundle; the manifest lists the changed one. */
  readonly changeBundle?: (code: string) => string;
  /** Changes what the manifest says of the bundle. */
  readonly listBundle?: (entry: Extract<Bundle, { path: string }>) => Bundle | undefined;
}

type Bundle = NonNullable<EnvironmentManifest["bundle"]>;

/** Publishes the built package of one of our environments as a user's own. Returns its name. */
export async function publishEnvironment(
  server: TestHub,
  user: TestUser,
  {
    name: bare,
    version = "1.0.0",
    changeBundle = (code) => code,
    listBundle = (entry) => entry,
  }: Publication,
): Promise<string> {
  const root = join(environments, bare);
  const name = `@${user.name}/${bare}`;
  const paths = (await readdir(join(root, "dist"), { recursive: true })).filter((path) =>
    path.endsWith(".js"),
  );
  const files = Object.fromEntries(
    await Promise.all(
      paths.map(
        async (path) => [`dist/${path}`, await readFile(join(root, "dist", path))] as const,
      ),
    ),
  );
  const bundle = Buffer.from(changeBundle(String(files["dist/envs.bundle.js"])));
  files["dist/envs.bundle.js"] = bundle;
  const manifest = JSON.parse(
    await readFile(join(root, "envs.manifest.json"), "utf8"),
  ) as EnvironmentManifest;
  const changed: EnvironmentManifest = {
    ...manifest,
    package: { name, version },
    bundle: listBundle({
      path: "dist/envs.bundle.js",
      size: bundle.length,
      sha256: createHash("sha256").update(bundle).digest("hex"),
      callsModels: false,
    }),
    contentHash: await packageContentHash(
      Object.entries(files).map(([path, bytes]) => ({ path, bytes: new Uint8Array(bytes) })),
    ),
  };
  await publishOrThrow(server, name, {
    as: user,
    version,
    files: { ...files, "envs.manifest.json": JSON.stringify(changed) },
  });
  return name;
}
