import type { HubErrorEntry } from "./hub-error.ts";

/** Errors of a tarball and of the paths in it. */
export const tarballErrors = {
  "tarball-too-large": {
    status: 413,
    what: "The tarball exceeds the hub's size limit.",
    why: "The message states its size and the limit.",
    fix: "Publish fewer or smaller files; list them with `npm pack --dry-run`.",
  },
  "tarball-unpacked-too-large": {
    status: 413,
    what: "The unpacked tarball exceeds the hub's size limit.",
    why: "The message states the limit.",
    fix: "Publish fewer or smaller files; list them with `npm pack --dry-run`.",
  },
  "tarball-too-many-files": {
    status: 413,
    what: "The tarball contains too many files and folders.",
    why: "The message states the limit.",
    fix: "Publish fewer files, or put data into one file.",
  },
  "tarball-not-gzip": {
    status: 422,
    what: "The tarball is not compressed with gzip.",
    why: "Clients install gzip archives only.",
    fix: "Publish the folder, or a file made by `npm pack`.",
  },
  "tarball-truncated": {
    status: 422,
    what: "The tarball is incomplete.",
    why: "It ends within its compressed data or an entry, or lacks its end mark.",
    fix: "Pack the package again and publish it.",
  },
  "tarball-corrupt": {
    status: 422,
    what: "The tarball is damaged.",
    why: "A checksum, a length or a number in a header is wrong.",
    fix: "Pack the package again with `npm pack`.",
  },
  "tarball-trailing-data": {
    status: 422,
    what: "The tarball has data after its end.",
    why: "Clients ignore or read such data differently, so it could hide files.",
    fix: "Pack the package again with `npm pack`.",
  },
  "tarball-unsupported": {
    status: 422,
    what: "The archive uses a feature of tar or gzip that clients read differently.",
    why: "Two clients could install different files from it. The message names the feature.",
    fix: "Pack the package again with `npm pack`.",
  },
  "tarball-link": {
    status: 422,
    what: "The archive contains a symbolic or hard link.",
    why: "A link can point outside the package; npm skips links.",
    fix: "Put the file itself into the package.",
  },
  "tarball-special-file": {
    status: 422,
    what: "The archive contains a device, a pipe, or a setuid or setgid file.",
    why: "A package can contain regular files and folders only.",
    fix: "Remove the file, or clear the bit with `chmod`.",
  },
  "path-encoding": {
    status: 422,
    what: "A path in the archive is not UTF-8.",
    why: "File systems would show different names.",
    fix: "Rename the file.",
  },
  "path-control-character": {
    status: 422,
    what: "A path contains a control or invisible character.",
    why: "Such a character can hide or imitate another name.",
    fix: "Rename the file.",
  },
  "path-backslash": {
    status: 422,
    what: "A path contains a backslash.",
    why: "Windows reads it as a separator, other systems as part of the name.",
    fix: "Rename the file.",
  },
  "path-absolute": {
    status: 422,
    what: "A path is absolute.",
    why: "It would be unpacked outside the package.",
    fix: "Pack the package again with `npm pack`.",
  },
  "path-not-normal": {
    status: 422,
    what: "A path contains an empty part, `.` or `..`.",
    why: "It could be unpacked outside the package, or over another file.",
    fix: "Pack the package again with `npm pack`.",
  },
  "path-outside-package": {
    status: 422,
    what: "A path does not begin with `package/`.",
    why: "Clients remove the first folder, whatever its name; the hub requires the standard one.",
    fix: "Pack the package again with `npm pack`.",
  },
  "path-too-long": {
    status: 422,
    what: "A path in the archive is too long.",
    why: "The message states the limit.",
    fix: "Shorten the names of the file or its folders.",
  },
  "path-unportable": {
    status: 422,
    what: "A file has a name that Windows does not allow.",
    why: "It is reserved, such as `con`, or contains or ends with an invalid character.",
    fix: "Rename the file.",
  },
  "path-duplicate": {
    status: 422,
    what: "Two paths name the same file on some file systems.",
    why: "They differ only in case or in Unicode normalisation.",
    fix: "Rename one of them.",
  },
  "path-file-and-folder": {
    status: 422,
    what: "A path is both a file and a folder.",
    why: "Only one of them can be unpacked.",
    fix: "Rename one of them.",
  },
  "path-package-manager": {
    status: 422,
    what: "The package contains a file that package managers obey when they install it.",
    why: "npm installs what `npm-shrinkwrap.json` lists, from any URL, instead of the dependencies that the hub has checked; Yarn 1 keeps its own files in an unpacked package.",
    fix: "Remove the file, and list ranges in `dependencies`; `package-lock.json` may stay.",
  },
  "path-node-modules": {
    status: 422,
    what: "The package contains `node_modules`.",
    why: "Audits and lockfiles do not cover packages inside a package.",
    fix: "List the packages as dependencies, and remove `node_modules` from the package.",
  },
} as const satisfies Record<string, HubErrorEntry>;
