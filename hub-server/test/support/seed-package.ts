import { createHash } from "node:crypto";

import type { Hub } from "@envs/hub-server/src/platform/hub/hub.ts";
import { similarityKeys } from "@envs/hub-server/src/platform/names/similarity.ts";

import type { TestUser } from "./hub.ts";

export interface SeedOptions {
  readonly owner: { readonly id: number };
  /** Versions from the oldest to the newest, as version numbers or with a package.json and a tarball. */
  readonly versions?: readonly (string | SeedVersion)[];
  readonly access?: "public" | "restricted";
  /** Dist-tags. Default: `latest` is the last version. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface SeedVersion {
  readonly version: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Default: the blob store has no tarball of this version. */
  readonly tarball?: Uint8Array;
}

export interface SeededPackage {
  readonly id: number;
  readonly name: string;
  readonly versions: Readonly<Record<string, number>>;
}

/** Inserts the rows that publishing creates: versions, tags, a maintainer. Stores the tarballs of versions that have one. */
export async function seedPackage(
  hub: Hub,
  name: string,
  { owner, versions = ["1.0.0"], access = "public", tags }: SeedOptions,
): Promise<SeededPackage> {
  const { database } = hub;
  const now = hub.clock();
  const { id } = await database
    .insertInto("packages")
    .values({
      name,
      scope: /^@([^/]+)\//.exec(name)?.[1] ?? "",
      owner_id: owner.id,
      similarity_keys: [...similarityKeys(name)],
      access,
      created_at: now,
      modified_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await database
    .insertInto("package_users")
    .values({ package_id: id, user_id: owner.id, permission: "write", is_maintainer: true })
    .execute();
  const ids: Record<string, number> = {};
  for (const entry of versions.map((entry) =>
    typeof entry === "string" ? { version: entry } : entry,
  ))
    ids[entry.version] = await seedVersion(hub, { id, name, owner }, entry);
  const last = Object.keys(ids).at(-1);
  const pointers = tags ?? (last === undefined ? {} : { latest: last });
  for (const [tag, version] of Object.entries(pointers)) {
    const target = ids[version];
    if (target === undefined) throw new Error(`${tag} points to ${version}, which does not exist.`);
    await database
      .insertInto("dist_tags")
      .values({ package_id: id, tag, version_id: target })
      .execute();
  }
  return { id, name, versions: ids };
}

/** Seeds a package in the scope of its owner. */
export async function seedOwnPackage(
  hub: Hub,
  owner: TestUser,
  options: Omit<SeedOptions, "owner"> & { readonly bare?: string } = {},
): Promise<SeededPackage> {
  const { bare = "demo", ...rest } = options;
  return await seedPackage(hub, `@${owner.name}/${bare}`, { owner, ...rest });
}

async function seedVersion(
  hub: Hub,
  package_: { readonly id: number; readonly name: string; readonly owner: { readonly id: number } },
  { version, manifest = {}, tarball }: SeedVersion,
): Promise<number> {
  const bytes = tarball ?? Buffer.from(`${package_.name}@${version}`);
  const hash = (algorithm: string): Buffer => createHash(algorithm).update(bytes).digest();
  const blob = hash("sha512").toString("hex");
  if (tarball !== undefined) await hub.blobs.put(blob, tarball);
  const now = hub.clock();
  const { id } = await hub.database
    .insertInto("versions")
    .values({
      package_id: package_.id,
      version,
      manifest: JSON.stringify({ name: package_.name, version, ...manifest }),
      shasum: hash("sha1").toString("hex"),
      integrity: `sha512-${hash("sha512").toString("base64")}`,
      blob,
      size: bytes.length,
      unpacked_size: bytes.length,
      file_count: 1,
      signatures: "[]",
      published_by: package_.owner.id,
      published_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
