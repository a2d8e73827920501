/**
 * What npm says that it expects of a tarball, if that is something else. Its lockfile is from elsewhere then, or something
 * between it and the hub changes what is sent.
 */
export function otherIntegrity(
  expected: string | readonly string[] | undefined,
  integrity: string,
): string | undefined {
  if (typeof expected !== "string" || !expected.includes("sha512-")) return undefined;
  return expected.split(/\s+/).includes(integrity) ? undefined : expected.slice(0, 500);
}
