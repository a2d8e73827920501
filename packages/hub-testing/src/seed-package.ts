import { createHash } from "node:crypto";

import type { Hub } from "@envs/hub-server/src/platform/hub/hub.ts";
import { similarityKeys } from "@envs/hub-server/src/platform/names/similarity.ts";

import type { TestUser } from "./hub.ts";

export interface SeedOptions {
  readonly owner: { readonly id: number };
  /** Versions from the oldest to the newest: the number alone, or with what its package.json has besides. */
  readonly versions?: readonly (string | SeedVersion)[];
  readonly access?: "public" | "restricted";
  /** Dist-tags; without them, `latest` is the last version. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface SeedVersion {
  readonly version: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** The tarball; without one, its row has hashes of bytes that no store holds. */
  readonly tarball?: Uint8Array;
}

export interface SeededPackage {
  readonly id: number;
  readonly name: string;
  readonly versions: Readonly<Record<string, number>>;
}

/** Puts a package into the database as publishing leaves it: rows, tags, a maintainer, and blobs where a tarball is given. */
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
  for (const each of versions.map((each) => (typeof each === "string" ? { version: each } : each)))
    ids[each.version] = await seedVersion(hub, { id, name, owner }, each);
  const last = Object.keys(ids).at(-1);
  const pointers = tags ?? (last === undefined ? {} : { latest: last });
  for (const [tag, version] of Object.entries(pointers)) {
    const target = ids[version];
    if (target === undefined) throw new Error(`${tag} points to ${version}, which is not seeded.`);
    await database
      .insertInto("dist_tags")
      .values({ package_id: id, tag, version_id: target })
      .execute();
  }
  return { id, name, versions: ids };
}

/** A package owned by the user whose name is its scope. */
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
  found: { readonly id: number; readonly name: string; readonly owner: { readonly id: number } },
  { version, manifest = {}, tarball }: SeedVersion,
): Promise<number> {
  const bytes = tarball ?? Buffer.from(`${found.name}@${version}`);
  const hash = (algorithm: string): Buffer => createHash(algorithm).update(bytes).digest();
  const blob = hash("sha512").toString("hex");
  if (tarball !== undefined) await hub.blobs.put(blob, tarball);
  const now = hub.clock();
  const { id } = await hub.database
    .insertInto("versions")
    .values({
      package_id: found.id,
      version,
      manifest: JSON.stringify({ name: found.name, version, ...manifest }),
      shasum: hash("sha1").toString("hex"),
      integrity: `sha512-${hash("sha512").toString("base64")}`,
      blob,
      size: bytes.length,
      unpacked_size: bytes.length,
      file_count: 1,
      signatures: "[]",
      published_by: found.owner.id,
      published_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
