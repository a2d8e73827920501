const kilobytes = 1024;
const megabytes = 1024 * kilobytes;

/** Size limits of a package. */
export interface PackageLimits {
  /** Bytes of the tarball. */
  readonly packed: number;
  /** Bytes of the uncompressed archive, including headers and padding. */
  readonly unpacked: number;
  /** Files and folders in the archive. */
  readonly entries: number;
  /** Bytes of a path from the package's root. */
  readonly path: number;
  /** Bytes of `package.json`. */
  readonly packageJson: number;
  /** Bytes of the README; the hub truncates a longer one. */
  readonly readme: number;
  /** Bytes of the signed provenance statement that is uploaded with the package. */
  readonly attestation: number;
}

/** The default limits of a hub. */
export const packageLimits: PackageLimits = {
  packed: 20 * megabytes,
  unpacked: 100 * megabytes,
  entries: 10_000,
  path: 255,
  packageJson: 256 * kilobytes,
  readme: 512 * kilobytes,
  attestation: 256 * kilobytes,
};
