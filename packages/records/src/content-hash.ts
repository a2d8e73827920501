/** A file of a package. */
export interface PackageFile {
  /** From the package's root, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file of a package by its hash. */
export interface HashedFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** As hexadecimal digits. */
  readonly sha256: string;
}

const encoder = new TextEncoder();

/**
 * Files that do not affect how the code runs. Packers rewrite `package.json`, the manifest contains the hash, and the bundle is
 * made from the other files.
 */
const excludedPaths = [
  /^package\.json$/,
  /^envs\.manifest\.json$/,
  /(?:^|\/)envs\.bundle\.js$/,
  /^(?:readme|licen[cs]e|copying|notice|changelog|changes|history|authors)(?:-[\w-]+)?(?:(?:\.[\w-]+)?\.(?:md|txt))?$/i,
  /\.tsbuildinfo$/,
  /(?:^|\/)node_modules\//,
];

/**
 * SHA-256 over the files that determine how a package runs: the same in its workspace, packed and installed. Excludes
 * documents and package metadata, and `src/` if there is a `dist/`. The order of the files does not matter.
 */
export async function packageContentHash(files: Iterable<PackageFile>): Promise<string> {
  const hashedFiles = contentFiles(files).map(async ({ path, bytes }) => ({
    path,
    size: bytes.length,
    sha256: await sha256(bytes),
  }));
  return contentHashOf(await Promise.all(hashedFiles));
}

/** The result of {@link packageContentHash}, for callers that have hashed the files. */
export async function contentHashOf(files: Iterable<HashedFile>): Promise<string> {
  // The length before each path keeps the encoding unambiguous: file names cannot imitate a boundary between files.
  const entries = contentFiles(files).map(
    ({ path, size, sha256 }) => `${encoder.encode(path).length}:${path}${size}:${sha256}`,
  );
  return `sha256-${await sha256(encoder.encode(entries.join("")))}`;
}

/** The files that the content hash covers, sorted by path. */
export function contentFiles<File extends { readonly path: string }>(
  files: Iterable<File>,
): File[] {
  const included = [...files].filter(
    ({ path }) => !excludedPaths.some((pattern) => pattern.test(path)),
  );
  const isBuilt = included.some(({ path }) => path.startsWith("dist/"));
  return included
    .filter(({ path }) => !(isBuilt && path.startsWith("src/")))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
