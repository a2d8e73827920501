/** A file of a package: its path from the package's root, with slashes, and what is in it. */
export interface PackageFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file of a package by its length and its SHA-256, in hexadecimal digits. */
export interface HashedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

const encoder = new TextEncoder();

/** Nobody runs these: packers rewrite the first, the second holds the hash, and the rest is for people and compilers. */
const beside = [
  /^package\.json$/,
  /^envs\.manifest\.json$/,
  /^(?:readme|licen[cs]e|copying|notice|changelog|changes|history|authors)(?:-[\w-]+)?(?:(?:\.[\w-]+)?\.(?:md|txt))?$/i,
  /\.tsbuildinfo$/,
  /(?:^|\/)node_modules\//,
];

/**
 * SHA-256 over the files that a package runs: the same in its workspace, packed, and installed. What is beside the
 * code does not count, nor does `src/` where there is a `dist/` that was built of it. The order of the files is no matter.
 */
export async function packageContentHash(files: Iterable<PackageFile>): Promise<string> {
  const digested = whatRuns(files).map(async ({ path, bytes }) => ({
    path,
    size: bytes.length,
    sha256: await sha256(bytes),
  }));
  return contentHashOf(await Promise.all(digested));
}

/** What {@link packageContentHash} gives, for a caller who has hashed the files. */
export async function contentHashOf(files: Iterable<HashedFile>): Promise<string> {
  // Lengths come first, so that where a path ends and where a file ends is never a matter of what is in it.
  const entries = whatRuns(files).map(
    ({ path, size, sha256 }) => `${encoder.encode(path).length}:${path}${size}:${sha256}`,
  );
  return `sha256-${await sha256(encoder.encode(entries.join("")))}`;
}

function whatRuns<File extends { readonly path: string }>(files: Iterable<File>): File[] {
  const all = [...files].filter(({ path }) => !beside.some((pattern) => pattern.test(path)));
  const isBuilt = all.some(({ path }) => path.startsWith("dist/"));
  return all
    .filter(({ path }) => !(isBuilt && path.startsWith("src/")))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
