import type { HubErrorCode } from "@envs/hub-client/error-reference";

import { quoted, refusal } from "../../platform/errors/hub-error.ts";
import { isReservedName } from "../../platform/names/reserved-name.ts";
import type { PackageLimits } from "./limits.ts";

/**
 * Files in a package's root that package managers obey when they install it. npm installs what `npm-shrinkwrap.json` lists
 * instead of the dependencies in `package.json`. Yarn 1 keeps the other two files in the folders of its cache.
 */
const obeyedFiles = new Set(["npm-shrinkwrap.json", ".yarn-metadata.json", ".yarn-tarball.tgz"]);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes and checks the path of an archive entry. Returns it relative to the package's root, with slashes; the root is
 * the empty string. npm, pnpm, Yarn and Bun pack into the folder `package`, so the hub rejects other first folders.
 */
export function packagePath(
  raw: Buffer,
  isFolder: boolean,
  limits: Pick<PackageLimits, "path">,
): string {
  const text = decode(raw);
  const fullPath = isFolder && text.endsWith("/") ? text.slice(0, -1) : text;
  const reject = (code: HubErrorCode, problem: string): never => {
    throw refusal(code, `The path ${quoted(fullPath)} ${problem}`);
  };
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u.test(fullPath))
    reject("path-control-character", "contains a control or invisible character. Rename the file.");
  if (fullPath.includes("\\"))
    reject(
      "path-backslash",
      "contains a backslash, which only Windows reads as a separator. Rename the file.",
    );
  if (/^\/|^[a-z]:/i.test(fullPath))
    reject("path-absolute", "is absolute. Pack the package with npm pack.");
  const [first, ...parts] = fullPath.split("/");
  if ([first, ...parts].some((part) => part === "" || part === "." || part === ".."))
    reject(
      "path-not-normal",
      'contains an empty part, "." or "..". Pack the package with npm pack.',
    );
  if (first !== "package" || (parts.length === 0 && !isFolder))
    reject("path-outside-package", "does not begin with package/. Pack the package with npm pack.");
  const path = parts.join("/");
  if (Buffer.byteLength(path) > limits.path)
    reject("path-too-long", `has more than ${limits.path} bytes. Shorten it.`);
  for (const part of parts) checkPart(part, reject);
  if (obeyedFiles.has(path.toLowerCase()))
    reject(
      "path-package-manager",
      "is a file that package managers obey when they install the package. Remove it.",
    );
  return path;
}

function checkPart(part: string, reject: (code: HubErrorCode, problem: string) => never): void {
  if (/[<>:"|?*]/.test(part))
    reject(
      "path-unportable",
      'contains one of < > : " | ? *, which Windows does not allow. Rename it.',
    );
  if (/[. ]$/.test(part))
    reject(
      "path-unportable",
      "has a part that ends with a dot or a space, which Windows does not allow. Rename it.",
    );
  if (isReservedName(part))
    reject(
      "path-unportable",
      `has the part ${part}, which is a device name on Windows. Rename it.`,
    );
  if (part.toLowerCase() === "node_modules")
    reject(
      "path-node-modules",
      "is in node_modules. Audits and lockfiles do not cover packages inside a package: list them as dependencies.",
    );
}

function decode(raw: Buffer): string {
  try {
    return decoder.decode(raw);
  } catch {
    throw refusal(
      "path-encoding",
      `The path ${quoted(raw.toString("latin1"))} is not UTF-8. Rename the file.`,
    );
  }
}

/** The paths of a package, compared as the file systems of macOS and Windows compare them. */
interface PathSet {
  readonly addFile: (path: string) => void;
  readonly addFolder: (path: string) => void;
}

/** Creates an empty set. It rejects duplicate files, and a path that is both a file and a folder. */
export function pathSet(): PathSet {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  const addFolder = (path: string): void => {
    if (path === "") return;
    const key = comparisonKey(path);
    if (folders.has(key)) return;
    const file = files.get(key);
    if (file !== undefined) throw fileAndFolder(file, path);
    folders.set(key, path);
    addFolder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  };
  const addFile = (path: string): void => {
    const key = comparisonKey(path);
    const other = files.get(key);
    if (other !== undefined)
      throw refusal(
        "path-duplicate",
        `${quoted(other)} and ${quoted(path)} are the same file on file systems that ignore case or Unicode normalisation. Rename one.`,
      );
    const folder = folders.get(key);
    if (folder !== undefined) throw fileAndFolder(path, folder);
    files.set(key, path);
    addFolder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  };
  return { addFile, addFolder };
}

/** NFKC and both case conversions: stricter than every file system, at the cost of a few unusual names. */
function comparisonKey(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
  return path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

function fileAndFolder(file: string, folder: string): Error {
  return refusal(
    "path-file-and-folder",
    `${quoted(file)} is a file, but ${quoted(folder)} is a folder at the same path. Rename one.`,
  );
}
