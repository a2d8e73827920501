import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

import { pack } from "tar-stream";

/** A package to publish. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly readme: string;
  readonly files: Readonly<Record<string, string | Buffer>>;
}

/** The JSON body of npm's publish request. */
export async function publishDocument(package_: Package): Promise<string> {
  const { name, version, description, keywords, readme } = package_;
  const tarball = await createTarball(package_);
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    shasum: createHash("sha1").update(tarball).digest("hex"),
    tarball: `http://localhost/${name}/-/${file}`,
  };
  const manifest = { ...packageJson(package_), _id: `${name}@${version}`, readme, dist };
  return JSON.stringify({
    _id: name,
    name,
    description,
    keywords,
    access: "public",
    "dist-tags": { latest: version },
    versions: { [version]: manifest },
    _attachments: {
      [file]: {
        content_type: "application/octet-stream",
        data: tarball.toString("base64"),
        length: tarball.length,
      },
    },
  });
}

/** Sends npm's publish request. Fails unless the registry returns 201. */
export async function publish(url: string, token: string, document: string): Promise<void> {
  const { name } = JSON.parse(document) as { name: string };
  const response = await fetch(`${url}/${name.replace("/", "%2f")}`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: document,
  });
  const text = await response.text();
  if (response.status !== 201)
    throw new Error(`Publishing ${name} failed: the registry returned ${response.status} ${text}`);
}

async function createTarball(package_: Package): Promise<Buffer> {
  const archive = pack();
  const files = {
    "package.json": JSON.stringify(packageJson(package_), undefined, 2),
    "README.md": package_.readme,
    ...package_.files,
  };
  for (const [path, content] of Object.entries(files))
    archive.entry({ name: `package/${path}`, mtime: new Date(0) }, content);
  archive.finalize();
  return gzipSync(await buffer(archive));
}

function packageJson({ name, version, description, keywords }: Package): object {
  return {
    name,
    version,
    description,
    keywords,
    license: "MIT",
    type: "module",
    main: "index.js",
    dependencies: { "@envs/core": "^0.1.0", zod: "^4.6.7" },
  };
}
