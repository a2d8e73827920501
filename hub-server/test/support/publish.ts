import { createHash } from "node:crypto";

import { tarball } from "./archive.ts";
import type { TestHub, TestUser } from "./hub.ts";
import { escapedName } from "./package-document.ts";

/** A version to publish. */
export interface PublishOptions {
  readonly as: TestUser;
  readonly version?: string;
  readonly tag?: string;
  readonly access?: "public" | "restricted" | null;
  /** Additional fields of package.json. */
  readonly packageJson?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the request of `npm publish`. */
export async function publish(
  server: Pick<TestHub, "request">,
  name: string,
  options: PublishOptions,
): Promise<Response> {
  const { as, headers = {} } = options;
  const body = publishBody(name, options);
  return await server.request(`/${escapedName(name)}`, { method: "PUT", as, body, headers });
}

/** Publishes, and throws unless the hub returns 201. A test that runs again has published the version in its first try. */
export async function publishOrThrow(
  server: Pick<TestHub, "request">,
  name: string,
  options: PublishOptions,
): Promise<void> {
  const response = await publish(server, name, options);
  if (response.status === 201) return;
  const text = await response.text();
  if (response.status !== 409 || !text.includes("version-exists"))
    throw new Error(`${name}: ${response.status} ${text}`);
}

/** The body of the request of `npm publish`. */
export function publishBody(name: string, options: Omit<PublishOptions, "as">) {
  const { version = "1.0.0", tag = "latest", access = null } = options;
  const packageJson = { name, version, ...options.packageJson };
  const bytes = packed(packageJson, options.files);
  const hash = (algorithm: string): Buffer => createHash(algorithm).update(bytes).digest();
  return {
    _id: name,
    name,
    access,
    "dist-tags": { [tag]: version },
    versions: {
      [version]: {
        ...packageJson,
        _id: `${name}@${version}`,
        dist: {
          integrity: `sha512-${hash("sha512").toString("base64")}`,
          shasum: hash("sha1").toString("hex"),
          tarball: `http://localhost/${name}/-/${name}-${version}.tgz`,
        },
      },
    },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: "application/octet-stream",
        data: Buffer.from(bytes).toString("base64"),
        length: bytes.length,
      },
    },
  };
}

/** A tarball of a package.json and these files. */
export function packed(
  packageJson: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string | Buffer>> = {},
): Uint8Array<ArrayBuffer> {
  return tarball([
    { path: "package/package.json", content: JSON.stringify(packageJson) },
    ...Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content })),
  ]);
}
