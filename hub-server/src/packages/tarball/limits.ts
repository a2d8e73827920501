const kilobytes = 1024;
const megabytes = 1024 * kilobytes;

/** How large a package may be. */
export interface PackageLimits {
  /** Bytes of the tarball. */
  readonly packed: number;
  /** Bytes of the archive in it, headers and padding included. */
  readonly unpacked: number;
  /** Files and folders in the archive. */
  readonly entries: number;
  /** Bytes of a path from the package's root. */
  readonly path: number;
  /** Bytes of `package.json`. */
  readonly packageJson: number;
  /** Bytes that are kept of the README; the rest is cut off. */
  readonly readme: number;
  /** Bytes of a signed statement that comes with the package. */
  readonly attestation: number;
}

/** What a hub takes unless it is told otherwise. */
export const packageLimits: PackageLimits = {
  packed: 20 * megabytes,
  unpacked: 100 * megabytes,
  entries: 10_000,
  path: 255,
  packageJson: 256 * kilobytes,
  readme: 512 * kilobytes,
  attestation: 256 * kilobytes,
};
