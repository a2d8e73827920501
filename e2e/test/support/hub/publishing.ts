import { createHash } from "node:crypto";

import { packageJson, tarball } from "@envs/hub-server/testing/archive";

import { password } from "./approver.ts";

/** A user of a hub, and a token. */
export interface User {
  readonly hub: string;
  readonly name: string;
  readonly token: string;
}

/** A version and its tarball. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** More fields of the version's `package.json`. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** Logs in with npm's password login, which also creates an account if registration is open. */
export async function logIn(hub: string, name: string): Promise<User> {
  const response = await fetch(`${hub}/-/user/org.couchdb.user:${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      _id: `org.couchdb.user:${name}`,
      name,
      password,
      email: `${name}@example.com`,
      type: "user",
      roles: [],
      date: new Date().toISOString(),
    }),
  });
  const text = await response.text();
  if (response.status !== 201)
    throw new Error(`Cannot log in as ${name}: ${response.status} ${text}`);
  return { hub, name, token: (JSON.parse(text) as { token: string }).token };
}

/** Packs a version of a package with one file. */
export function packRelease(
  name: string,
  version: string,
  content: string,
  more: Readonly<Record<string, unknown>> = {},
): Release {
  const bytes = tarball([
    packageJson({ name, version, type: "module", main: "index.js", ...more }),
    { path: "package/index.js", content },
  ]);
  const hash = createHash("sha512").update(bytes).digest("base64");
  return { name, version, bytes, more, integrity: `sha512-${hash}` };
}

/** Sends npm's publish request, and returns the status of the response. */
export async function publish(
  { hub, token }: Pick<User, "hub" | "token">,
  { name, version, bytes, integrity, more }: Release,
): Promise<number> {
  const file = `${name}-${version}.tgz`;
  const shasum = createHash("sha1").update(bytes).digest("hex");
  const dist = { integrity, shasum, tarball: `http://localhost/${name}/-/${file}` };
  const response = await fetch(`${hub}/${name.replace("/", "%2f")}`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({
      _id: name,
      name,
      access: "public",
      "dist-tags": { latest: version },
      versions: { [version]: { name, version, ...more, _id: `${name}@${version}`, dist } },
      _attachments: {
        [file]: {
          content_type: "application/octet-stream",
          data: Buffer.from(bytes).toString("base64"),
          length: bytes.length,
        },
      },
    }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** The part of a packument that the tests read. */
export interface Packument {
  readonly versions: Readonly<
    Record<string, { readonly dist: { readonly integrity: string; readonly tarball: string } }>
  >;
}

/** Reads a packument. Returns it without versions if the package does not exist. */
export async function readPackument(hub: string, name: string): Promise<Packument> {
  const response = await fetch(`${hub}/${name.replace("/", "%2f")}`);
  if (response.status === 404) return { versions: {} };
  if (!response.ok) throw new Error(`Reading ${name} failed with status ${response.status}.`);
  return (await response.json()) as Packument;
}

/** Whether a hub has a version. Throws if the hub has only a part of the version, or other bytes. */
export async function isPublished(hub: string, release: Release): Promise<boolean> {
  const { name, version, integrity } = release;
  const dist = (await readPackument(hub, name)).versions[version]?.dist;
  if (dist === undefined) return false;
  if (dist.integrity !== integrity)
    throw new Error(
      `The packument has the integrity ${dist.integrity} for ${name}@${version}; expected ${integrity}.`,
    );
  const response = await fetch(dist.tarball);
  const bytes = Buffer.from(await response.arrayBuffer());
  const hash = createHash("sha512").update(bytes).digest("base64");
  if (`sha512-${hash}` !== integrity)
    throw new Error(`The tarball of ${name}@${version} is corrupt (status ${response.status}).`);
  return true;
}
