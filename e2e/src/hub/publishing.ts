import { createHash } from "node:crypto";

import { packageJson, tarball } from "@envs/hub-testing/archive";

import { password } from "./approver.ts";

/** A person known to a hub. */
export interface Person {
  readonly hub: string;
  readonly name: string;
  readonly token: string;
}

/** A version and the bytes that it is published with. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What its `package.json` has besides. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** Logs in as npm does with a password; where nobody has the name and registration is open, that makes an account. */
export async function person(hub: string, name: string): Promise<Person> {
  const answer = await fetch(`${hub}/-/user/org.couchdb.user:${name}`, {
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
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`No account for ${name}: ${answer.status} ${text}`);
  return { hub, name, token: (JSON.parse(text) as { token: string }).token };
}

/** Packs a package of one file with this content, and more in its `package.json`. */
export function release(
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

/** Publishes as npm does, and returns the status of the answer. */
export async function publish(
  { hub, token }: Pick<Person, "hub" | "token">,
  { name, version, bytes, integrity, more }: Release,
): Promise<number> {
  const file = `${name}-${version}.tgz`;
  const shasum = createHash("sha1").update(bytes).digest("hex");
  const dist = { integrity, shasum, tarball: `http://localhost/${name}/-/${file}` };
  const answer = await fetch(`${hub}/${name.replace("/", "%2f")}`, {
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
  await answer.arrayBuffer();
  return answer.status;
}

/** What a packument says of its versions. */
export interface Packument {
  readonly versions: Readonly<
    Record<string, { readonly dist: { readonly integrity: string; readonly tarball: string } }>
  >;
}

/** The packument of a package, with no versions where there is none. */
export async function packument(hub: string, name: string): Promise<Packument> {
  const answer = await fetch(`${hub}/${name.replace("/", "%2f")}`);
  if (answer.status === 404) return { versions: {} };
  if (!answer.ok) throw new Error(`${name} is answered with ${answer.status}.`);
  return (await answer.json()) as Packument;
}

/** Whether a hub has a version: all of it, byte for byte, or nothing; anything between is an error. */
export async function isPublished(hub: string, wanted: Release): Promise<boolean> {
  const { name, version, integrity } = wanted;
  const dist = (await packument(hub, name)).versions[version]?.dist;
  if (dist === undefined) return false;
  if (dist.integrity !== integrity)
    throw new Error(`${name}@${version} is said to be ${dist.integrity}, and is ${integrity}.`);
  const answer = await fetch(dist.tarball);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const hash = createHash("sha512").update(bytes).digest("base64");
  if (`sha512-${hash}` !== integrity)
    throw new Error(`The tarball of ${name}@${version} is answered with ${answer.status}, broken.`);
  return true;
}
