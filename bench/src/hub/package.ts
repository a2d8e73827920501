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

/** The document in which npm sends a package. */
export async function publishDocument(made: Package): Promise<string> {
  const { name, version, description, keywords, readme } = made;
  const tarball = await packed(made);
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    shasum: createHash("sha1").update(tarball).digest("hex"),
    tarball: `http://localhost/${name}/-/${file}`,
  };
  const manifest = { ...packageJson(made), _id: `${name}@${version}`, readme, dist };
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

/** Publishes as npm does. */
export async function publish(url: string, token: string, document: string): Promise<void> {
  const { name } = JSON.parse(document) as { name: string };
  const response = await fetch(`${url}/${name.replace("/", "%2f")}`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: document,
  });
  const answer = await response.text();
  if (response.status !== 201)
    throw new Error(`Publishing ${name} is answered with ${response.status}: ${answer}`);
}

async function packed(made: Package): Promise<Buffer> {
  const archive = pack();
  const files = {
    "package.json": JSON.stringify(packageJson(made), undefined, 2),
    "README.md": made.readme,
    ...made.files,
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
