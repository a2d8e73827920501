/**
 * The path of an entry below the first part of its name, which is the copied folder; a file alone keeps its name. `undefined` if
 * the path leads outside.
 */
export function innerPath(name: string, isFolder: boolean): string | undefined {
  const parts = partsOf(name);
  if (parts.includes("..") || name.includes("\0")) return undefined;
  if (parts.length > 1) return parts.slice(1).join("/");
  return isFolder ? "." : parts[0];
}

/**
 * Whether a symbolic link at a path below a folder resolves inside that folder, whatever other such links it passes: it may go up
 * only at its start, and no further than to the folder.
 */
export function staysInside(path: string, linkname: string): boolean {
  if (linkname === "" || linkname.startsWith("/") || linkname.includes("\0")) return false;
  const parts = partsOf(linkname);
  const firstName = parts.findIndex((part) => part !== "..");
  const ups = firstName === -1 ? parts.length : firstName;
  if (parts.slice(ups).includes("..")) return false;
  return ups < path.split("/").length;
}

function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
