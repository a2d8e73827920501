import { gzipSync } from "node:zlib";

import type { EnvironmentManifest } from "@envs/hub-client";
import type { hubErrorAreas } from "@envs/hub-client/error-reference";
import { packageContentHash } from "@envs/records";
import { describe, expect, test } from "vitest";

import { inspectTarball } from "../src/packages/tarball/inspect.ts";
import { type PackageLimits, packageLimits } from "../src/packages/tarball/limits.ts";
import {
  archive,
  endOfArchive,
  packageJson,
  pax,
  type RawEntry,
  tarball,
} from "./support/archive.ts";
import { resultOrError, errorCodeOf } from "./support/errors.ts";
import { environmentManifest } from "./support/manifest.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type ArchiveErrorCode =
  | keyof (typeof hubErrorAreas)["Tarballs"]
  | Exclude<keyof (typeof hubErrorAreas)["Package content"], `attestation-${string}`>
  | "name-invalid"
  | "version-invalid";

/** Tarballs by their only flaw. */
type Attacks = Readonly<Record<string, () => Bytes | Promise<Bytes>>>;

const limits: PackageLimits = {
  ...packageLimits,
  packed: 20_000,
  unpacked: 200_000,
  entries: 50,
  packageJson: 10_000,
};

const validTarball = tarball([]);
const valid: RawEntry = { path: "package/a.js" };
const oneFile = (entry: RawEntry) => () => tarball([entry]);
const onePath = (path: string | Buffer) => oneFile({ path });
const fields = (json: Readonly<Record<string, unknown>>) => () => tarball([packageJson(json)]);
const jsonText = (content: string | Buffer) => oneFile({ path: "package/package.json", content });
const dependency = (range: string) => fields({ dependencies: { chess: range } });
const manifest = (change: (manifest: EnvironmentManifest) => unknown) => async () =>
  tarball([
    {
      path: "package/envs.manifest.json",
      content: JSON.stringify(change(environmentManifest(await packageContentHash([])))),
    },
  ]);

const gzipHeader = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
const trailer = (crc: number, length: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(crc, 0);
  bytes.writeUInt32LE(length, 4);
  return bytes;
};
const bytes = (...parts: readonly (Uint8Array | readonly number[])[]): Bytes =>
  Buffer.concat(parts.map((part) => Uint8Array.from(part)));
const changed = (at: number, value: number): Bytes => {
  const copy = Uint8Array.from(validTarball);
  copy.set([value], at < 0 ? copy.length + at : at);
  return copy;
};

/** Attacks by error code. The type requires an entry for every code of tarballs. */
const attacks = {
  "tarball-too-large": {
    "more bytes than the limit": () => tarball([{ ...valid, content: noise(30_000) }]),
  },
  "tarball-unpacked-too-large": {
    zeros: () => tarball([{ ...valid, content: Buffer.alloc(300_000) }]),
    "zeros after the end": () =>
      gzipSync(archive([packageJson()], Buffer.alloc(300_032 - (300_032 % 512)))),
  },
  "tarball-too-many-files": {
    files: () => tarball(Array.from({ length: 60 }, (_, n) => ({ path: `package/${n}.js` }))),
    folders: () =>
      tarball(Array.from({ length: 60 }, (_, n) => ({ path: `package/${n}`, kind: "5" }))),
  },
  "tarball-not-gzip": {
    nothing: () => bytes(),
    text: () => bytes(Buffer.from("<!doctype html>")),
    "an archive that is not compressed": () => bytes(archive([packageJson()])),
    "another method": () => changed(2, 9),
  },
  "tarball-truncated": {
    "a header alone": () => bytes(gzipHeader),
    "a part of a header": () => bytes(gzipHeader.slice(0, 5)),
    "a header whose name does not end": () => bytes([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 65, 66]),
    "without its last byte": () => validTarball.slice(0, -1),
    "without its second half": () => validTarball.slice(0, validTarball.length / 2),
    "an archive in the middle of a file": () =>
      gzipSync(archive([packageJson()]).subarray(0, 512 + 10)),
    "an archive in the middle of a header": () =>
      gzipSync(archive([packageJson(), valid]).subarray(0, 1024 + 100)),
    "an archive without an end": () => gzipSync(archive([packageJson()], Buffer.alloc(0))),
    "an archive with half an end": () => gzipSync(archive([packageJson()], Buffer.alloc(512))),
    "an archive with an end and a part of a block": () =>
      gzipSync(archive([packageJson()], Buffer.alloc(1500))),
    "an empty archive": () => gzipSync(Buffer.alloc(0)),
    "a file longer than the archive": () => tarball([{ ...valid, size: "00000100000\0" }]),
  },
  "tarball-corrupt": {
    "invalid deflate data": () => bytes(gzipHeader, [0xff, 0xff, 0xff], trailer(0, 3)),
    "another checksum": () => changed(-8, ((validTarball.at(-8) ?? 0) + 1) % 256),
    "zeros after the compressed data": () => bytes(validTarball, [0, 0, 0, 0, 0, 0, 0, 0]),
    "a size field that is too small": () => changed(-4, 10),
    "a size field that is too large": () => changed(-3, 0xff),
    "a header with another checksum": () => gzipSync(flipBit(archive([packageJson()]), 0)),
    "a size in base 256": oneFile({ ...valid, size: "\x80\0\0\0\0\0\0\0\0\0\0\0" }),
    "a negative size": oneFile({ ...valid, size: "-0000000001\0" }),
    "a size that is not octal": oneFile({ ...valid, size: "00000000009\0" }),
    "a size of two numbers": oneFile({ ...valid, size: "0000 000000\0" }),
    "no size": oneFile({ ...valid, size: "            " }),
    "no mode": oneFile({ ...valid, editHeader: (header) => header.fill(0, 100, 108) }),
    "an owner in base 256": oneFile({
      ...valid,
      editHeader: (header) => header.fill(0x80, 108, 116),
    }),
    "a path with a second line after its end": oneFile({
      ...valid,
      editHeader: (header) => header.write("package/a.js\0\n/../../../b.js"),
    }),
    "a prefix with a second line after its end": oneFile({
      ...valid,
      editHeader: (header) => header.write("\0\n/../../..", 345),
    }),
    "an extended header without a length": () =>
      tarball([{ path: "PaxHeader", kind: "x", content: "path=package/b.js\n" }, valid]),
    "an extended header longer than its entry": () =>
      tarball([{ path: "PaxHeader", kind: "x", content: "90 path=package/b.js\n" }, valid]),
    "an extended header that does not end its line": () =>
      tarball([{ path: "PaxHeader", kind: "x", content: "21 path=package/b.js!" }, valid]),
    "an extended header of zero length": () =>
      tarball([{ path: "PaxHeader", kind: "x", content: "0 path=package/b.js\n" }, valid]),
    "an extended header with a negative length": () =>
      tarball([{ path: "PaxHeader", kind: "x", content: "-9 path=package/b.js\n" }, valid]),
    "an extended header without a key": () => tarball([pax([["", "package/b.js"]]), valid]),
  },
  "tarball-trailing-data": {
    "bytes after the compressed data": () => bytes(validTarball, [1, 2, 3]),
    "a second gzip file": () => bytes(validTarball, tarball([valid])),
    "an empty gzip file before": () => bytes(gzipSync(""), validTarball),
    "an entry after the end": () =>
      gzipSync(Buffer.concat([archive([packageJson()]), archive([valid])])),
    "an entry after half an end": () =>
      gzipSync(
        Buffer.concat([archive([packageJson()], endOfArchive.subarray(512)), archive([valid])]),
      ),
  },
  "tarball-unsupported": {
    "a gzip header with a comment": () =>
      bytes([0x1f, 0x8b, 8, 16, 0, 0, 0, 0, 0, 3, 65, 0], validTarball.subarray(10)),
    "a gzip header with a reserved flag": () => changed(3, 0x80),
    "the format before POSIX": oneFile({ ...valid, magic: "" }),
    "an unknown version of the format": oneFile({ ...valid, magic: "ustar\x0001" }),
    "a path for all entries": () => tarball([{ ...pax([["path", "package/b.js"]]), kind: "g" }]),
    "a comment for all entries": () => tarball([{ ...pax([["comment", "0"]]), kind: "g" }, valid]),
    "a type in an extended header": () => tarball([pax([["type", "5"]]), valid]),
    "a link's target in an extended header": () => tarball([pax([["linkpath", "/etc"]]), valid]),
    "a character set in an extended header": () =>
      tarball([pax([["hdrcharset", "BINARY"]]), valid]),
    "a sparse file of GNU tar": () => tarball([pax([["GNU.sparse.name", "package/b"]]), valid]),
    "a sparse file of the old kind": oneFile({ ...valid, kind: "S" }),
    "a contiguous file": oneFile({ ...valid, kind: "7" }),
    "a part of another volume": oneFile({ ...valid, kind: "M" }),
    "an unknown kind of entry": oneFile({ ...valid, kind: "Z" }),
    "two paths in an extended header": () =>
      tarball([
        pax([
          ["path", "package/b.js"],
          ["path", "package/c.js"],
        ]),
        valid,
      ]),
    "two sizes": () => tarball([pax([["size", "5"]]), { ...valid, content: "1" }]),
    "two extended headers": () =>
      tarball([pax([["path", "package/b.js"]]), pax([["path", "package/c.js"]]), valid]),
    "a long name and an extended header": () =>
      tarball([
        { path: "././@LongLink", kind: "L", content: "package/b.js\0" },
        pax([["path", "package/c.js"]]),
        valid,
      ]),
    "an extended header without an entry": () => tarball([pax([["path", "package/b.js"]])]),
    "an empty extended header": () =>
      tarball([{ path: "PaxHeader", kind: "x", content: "" }, valid]),
    "a very long extended header": () =>
      tarball([{ path: "././@LongLink", kind: "L", content: `${"a".repeat(70_000)}\0` }, valid]),
    "a folder with content": oneFile({ path: "package/a", kind: "5", content: "a" }),
    "a file with a link's target": oneFile({ ...valid, target: "/etc/passwd" }),
    "a file with a link's target in a second line": oneFile({ ...valid, target: "\0\n/etc" }),
  },
  "tarball-link": {
    "a symbolic link": oneFile({ ...valid, kind: "2", target: "/etc/passwd" }),
    "a symbolic link to a file beside it": oneFile({ ...valid, kind: "2", target: "b.js" }),
    "a hard link": oneFile({ ...valid, kind: "1", target: "package/package.json" }),
    "a link's long target": () =>
      tarball([{ path: "././@LongLink", kind: "K", content: "/etc/passwd\0" }, valid]),
  },
  "tarball-special-file": {
    "a character device": oneFile({ ...valid, kind: "3" }),
    "a block device": oneFile({ ...valid, kind: "4" }),
    "a pipe": oneFile({ ...valid, kind: "6" }),
    "a setuid file": oneFile({ ...valid, mode: 0o4755 }),
    "a setgid file": oneFile({ ...valid, mode: 0o2755 }),
  },
  "path-encoding": {
    "latin 1": onePath(Buffer.from("package/\xe9.js", "latin1")),
    "half of a surrogate pair": onePath(
      Buffer.from([...Buffer.from("package/"), 0xed, 0xa0, 0x80]),
    ),
  },
  "path-control-character": {
    "a line feed": onePath("package/a\nb.js"),
    escape: onePath("package/a\u{1B}[2Jb.js"),
    delete: onePath("package/a\u{7F}b.js"),
    "NUL in an extended header": () => tarball([pax([["path", "package/a\0.js"]]), valid]),
    "NUL in a long name": () =>
      tarball([{ path: "././@LongLink", kind: "L", content: "package/a\0.js\0" }, valid]),
    "a right-to-left override": onePath("package/a\u{202E}sj.b"),
    "a zero-width space": onePath("package/a\u{200B}.js"),
    "a byte order mark": onePath("package/\u{FEFF}a.js"),
  },
  "path-backslash": {
    "a separator of Windows": onePath("package\\a.js"),
    "two of them": onePath("package/..\\..\\a.js"),
  },
  "path-absolute": {
    root: onePath("/etc/passwd"),
    "the package's folder at the root": onePath("/package/a.js"),
    "a drive": onePath("C:/package/a.js"),
    "a drive's folder": onePath("c:package/a.js"),
  },
  "path-not-normal": {
    "out of the package": onePath("package/../../a.js"),
    "out of the package and back": onePath("package/../package/a.js"),
    "a parent folder first": onePath("../package/a.js"),
    "a dot": onePath("package/./a.js"),
    "a dot first": onePath("./package/a.js"),
    "two slashes": onePath("package//a.js"),
    "a file that ends with a slash": onePath("package/a/"),
    "a folder that ends with two": oneFile({ path: "package/a//", kind: "5" }),
    "no path": onePath(""),
    "up in a prefix": oneFile({ path: "a.js", prefix: "package/.." }),
  },
  "path-outside-package": {
    "another folder": onePath("other/a.js"),
    "another case": onePath("Package/a.js"),
    "a longer name": onePath("package2/a.js"),
    "no folder": onePath("a.js"),
    "the package's folder is a file": onePath("package"),
  },
  "path-too-long": {
    "many folders": () => tarball([pax([["path", `package/${"a/".repeat(150)}a`]]), valid]),
    "one long name": () => tarball([pax([["path", `package/${"a".repeat(300)}`]]), valid]),
    "characters of many bytes": () =>
      tarball([pax([["path", `package/${"☃".repeat(100)}`]]), valid]),
  },
  "path-unportable": {
    "a device of Windows": onePath("package/con"),
    "a device with an extension": onePath("package/AUX.js"),
    "a device with a number": onePath("package/lib/com1.txt"),
    "a device with a superscript": onePath("package/LPT¹"),
    "a folder like a device": onePath("package/nul/a.js"),
    "a device's folder": oneFile({ path: "package/prn/", kind: "5" }),
    "a dot at the end": onePath("package/a.js."),
    "a space at the end": onePath("package/a.js "),
    "a folder with a dot at the end": onePath("package/a./b.js"),
    "a stream of a file": onePath("package/a.js:b"),
    "a wildcard": onePath("package/*.js"),
    "a question mark": onePath("package/a?.js"),
    "a quotation mark": onePath('package/".js'),
    "a pipe": onePath("package/a|b.js"),
  },
  "path-duplicate": {
    "one path twice": () => tarball([valid, valid]),
    "package.json twice": () => tarball([packageJson(), packageJson()]),
    "another case": () => tarball([valid, { path: "package/A.js" }]),
    "package.json in another case": () => tarball([{ path: "package/Package.json" }]),
    "another form of an accent": () =>
      tarball([{ path: "package/\u{E9}.js" }, { path: "package/e\u{301}.js" }]),
    "another case of an accent": () =>
      tarball([{ path: "package/\u{E9}.js" }, { path: "package/E\u{301}.js" }]),
    "a letter whose capital is two letters": () =>
      tarball([{ path: "package/ß.js" }, { path: "package/SS.js" }]),
    "a ligature": () => tarball([{ path: "package/ﬁ.js" }, { path: "package/fi.js" }]),
  },
  "path-file-and-folder": {
    "a file, then a folder of it": () => tarball([{ path: "package/a" }, { path: "package/a/b" }]),
    "a folder, then a file": () => tarball([{ path: "package/a/b" }, { path: "package/a" }]),
    "a folder's entry": () => tarball([{ path: "package/a" }, { path: "package/A/", kind: "5" }]),
    "deep in a file": () => tarball([{ path: "package/a" }, { path: "package/A/b/c/d" }]),
  },
  "path-package-manager": {
    "a shrinkwrap": onePath("package/npm-shrinkwrap.json"),
    "a shrinkwrap in another case": onePath("package/NPM-Shrinkwrap.json"),
    "the metadata of Yarn's cache": onePath("package/.yarn-metadata.json"),
    "the tarball of Yarn's cache": onePath("package/.yarn-tarball.tgz"),
  },
  "path-node-modules": {
    "at the root": onePath("package/node_modules/chess/index.js"),
    "in a folder": onePath("package/lib/node_modules/chess/index.js"),
    "in another case": onePath("package/Node_Modules/chess/index.js"),
    "a folder's entry": oneFile({ path: "package/node_modules", kind: "5" }),
  },

  "package-json-missing": {
    "no such file": () => gzipSync(archive([valid])),
    "no file at all": () => gzipSync(archive([])),
    "in a folder": () => gzipSync(archive([{ path: "package/lib/package.json", content: "{}" }])),
    "in another case": () => gzipSync(archive([{ path: "package/PACKAGE.json", content: "{}" }])),
    "a folder": () => gzipSync(archive([{ path: "package/package.json", kind: "5" }])),
  },
  "package-json-invalid": {
    nothing: jsonText(""),
    "no JSON": jsonText("name: chess"),
    "a comment": jsonText('{ "name": "@envs/chess" /* why */ }'),
    "a list": jsonText("[]"),
    null: jsonText("null"),
    "a byte order mark": jsonText('\u{FEFF}{"name":"@envs/chess","version":"1.0.0"}'),
    "latin 1": jsonText(Buffer.from('{"name":"@envs/chess","description":"\xe9"}', "latin1")),
    "a field twice": jsonText('{"name":"@envs/chess","version":"1.0.0","version":"2.0.0"}'),
    "a field twice, once with escapes": jsonText(
      String.raw`{"name":"@envs/chess","version":"1.0.0","nam\u0065":"@envs/go"}`,
    ),
    "a dependency twice": jsonText(
      '{"name":"@envs/chess","version":"1.0.0","dependencies":{"a":"1","a":"2"}}',
    ),
    "a prototype": jsonText('{"name":"@envs/chess","version":"1.0.0","__proto__":{"bin":"a"}}'),
    NUL: jsonText(String.raw`{"name":"@envs/chess","version":"1.0.0","description":"\u0000"}`),
    "half of a surrogate pair": jsonText(
      String.raw`{"name":"@envs/chess","version":"1.0.0","description":"\ud800"}`,
    ),
    "great depth": jsonText(
      `{"name":"@envs/chess","version":"1.0.0","a":${"[".repeat(4000)}${"]".repeat(4000)}}`,
    ),
    "more than the limit": fields({ description: "a".repeat(20_000) }),
  },
  "package-json-field": {
    "no name": jsonText('{"version":"1.0.0"}'),
    "no version": jsonText('{"name":"@envs/chess"}'),
    "a name that is a number": fields({ name: 1 }),
    "a list of dependencies": fields({ dependencies: ["chess"] }),
    "a dependency that is a number": fields({ dependencies: { chess: 1 } }),
    "a command that is a number": fields({ bin: { chess: 1 } }),
    "a script that is a list": fields({ scripts: { test: ["a"] } }),
    "engines that are a text": fields({ engines: "node" }),
    "a system that is a number": fields({ os: [1] }),
    "a runtime that pnpm downloads": fields({ engines: { runtime: { name: "node" } } }),
    "a peer's option that is a text": fields({ peerDependenciesMeta: { a: { optional: "yes" } } }),
  },
  "package-private": {
    true: fields({ private: true }),
    text: fields({ private: "true" }),
  },
  "name-invalid": {
    "capital letters": fields({ name: "@envs/Chess" }),
    "a path": fields({ name: "../chess" }),
  },
  "version-invalid": {
    "a v": fields({ version: "v1.0.0" }),
    "build metadata": fields({ version: "1.0.0+1" }),
  },
  "install-script": {
    preinstall: fields({ scripts: { preinstall: "node a.js" } }),
    install: fields({ scripts: { install: "node-gyp rebuild" } }),
    postinstall: fields({ scripts: { postinstall: "echo" } }),
    "a script that is empty": fields({ scripts: { postinstall: "" } }),
    "binding.gyp": onePath("package/binding.gyp"),
    "binding.gyp in another case": onePath("package/Binding.GYP"),
    hooks: onePath("package/.hooks/postinstall"),
  },
  "dependency-name": {
    "a path": fields({ dependencies: { "../chess": "1.0.0" } }),
    "a blank": fields({ optionalDependencies: { " chess": "1.0.0" } }),
    "a folder of packages": fields({ peerDependencies: { node_modules: "1.0.0" } }),
    empty: fields({ dependencies: { "": "1.0.0" } }),
  },
  "dependency-source": {
    git: dependency("git://example.com/chess.git"),
    "git over SSH": dependency("git+ssh://git@example.com/chess.git"),
    "git, in short": dependency("git@example.com:chess.git"),
    "an address": dependency("https://example.com/chess.tgz"),
    "an address without encryption": dependency("http://example.com/chess.tgz"),
    "a repository on GitHub": dependency("example/chess"),
    "a repository on GitHub, at a commit": dependency("example/chess#main"),
    "a repository on GitHub, in full": dependency("github:example/chess"),
    "a gist": dependency("gist:1234"),
    "a file": dependency("file:../chess"),
    "a link": dependency("link:../chess"),
    "a portal": dependency("portal:../chess"),
    "a patch": dependency("patch:chess@1.0.0#a.patch"),
    "a path": dependency("../chess"),
    "a path from home": dependency("~/chess"),
    "an absolute path": dependency("/chess"),
    "a path of Windows": dependency(String.raw`C:\chess`),
    "an archive": dependency("chess.tgz"),
    "the workspace": dependency("workspace:^"),
    "a catalog": dependency("catalog:"),
    "another registry": dependency("jsr:@std/chess@1"),
    "an alias to a repository": dependency("npm:example/chess"),
    "an alias to an address": dependency("npm:chess@https://example.com/chess.tgz"),
    "an alias to a path": dependency("npm:../chess@1.0.0"),
    "an alias in capitals": dependency("NPM:chess@1.0.0"),
    "an alias of an alias": dependency("npm:chess@npm:go@1.0.0"),
    "no range": dependency("one or two"),
    "a very long range": dependency("1.0.0 || ".repeat(100)),
    optional: fields({ optionalDependencies: { chess: "example/chess" } }),
    peer: fields({ peerDependencies: { chess: "example/chess" } }),
    accepted: fields({ acceptDependencies: { chess: "https://example.com/chess.tgz" } }),
    "a runtime that pnpm downloads": fields({ dependencies: { node: "runtime:24" } }),
  },
  "dependency-alias": {
    "another package's name": fields({ dependencies: { zod: "npm:@mallory/zod@^4.0.0" } }),
    "another package's name, without a range": fields({
      optionalDependencies: { zod: "npm:evil" },
    }),
    "a name in another scope": fields({ peerDependencies: { "@ada/chess": "npm:@envs/evil@1" } }),
    "a name of a package without a scope": fields({
      name: "chess",
      dependencies: { "chess-js": "npm:chess.js@1" },
    }),
  },
  "dependency-bundled": {
    "a list": fields({ bundleDependencies: ["chess"] }),
    "the other name": fields({ bundledDependencies: ["chess"] }),
    all: fields({ bundleDependencies: true }),
  },
  "bin-invalid": {
    "out of the package": fields({ bin: "../chess.js" }),
    "out of the package, through a folder": fields({ bin: { chess: "lib/../../chess.js" } }),
    absolute: fields({ bin: { chess: "/usr/bin/env" } }),
    "a separator of Windows": fields({ bin: { chess: String.raw`..\chess.js` } }),
    "a drive": fields({ bin: { chess: "c:chess.js" } }),
    "the package itself": fields({ bin: "." }),
    empty: fields({ bin: "" }),
    "a command that is a path": fields({ bin: { "../../chess": "chess.js" } }),
    "a command with a separator": fields({ bin: { "a/b": "chess.js" } }),
    "a hidden command": fields({ bin: { ".chess": "chess.js" } }),
    "a command like an option": fields({ bin: { "-rf": "chess.js" } }),
    "a command with a line feed": fields({ bin: { "a\nb": "chess.js" } }),
    "a folder out of the package": fields({ directories: { bin: "../bin" } }),
  },

  "manifest-invalid": {
    "no JSON": oneFile({ path: "package/envs.manifest.json", content: "{" }),
    "another form": oneFile({ path: "package/envs.manifest.json", content: "{}" }),
    "a field twice": async () =>
      tarball([
        {
          path: "package/envs.manifest.json",
          content: JSON.stringify(environmentManifest(await packageContentHash([]))).replace(
            "{",
            '{"name":"chess",',
          ),
        },
      ]),
    "a weight that is a text": manifest((cases) => ({
      ...cases,
      scores: [{ name: "a", weight: "1" }],
    })),
  },
  "manifest-package": {
    "another name": manifest((cases) => ({
      ...cases,
      package: { name: "@envs/go", version: "1.0.0" },
    })),
    "another version": manifest((cases) => ({
      ...cases,
      package: { name: "@envs/chess", version: "1.0.1" },
    })),
  },
  "manifest-content": {
    "other files": () =>
      tarball([
        { path: "package/dist/index.js", content: "export {}" },
        {
          path: "package/envs.manifest.json",
          content: JSON.stringify(environmentManifest(`sha256-${"0".repeat(64)}`)),
        },
      ]),
  },
} satisfies Record<ArchiveErrorCode, Attacks>;

describe.each(Object.entries(attacks))("%s", (code, cases: Attacks) => {
  test.each(Object.entries(cases))("%s", async (_, make) => {
    const bytes = await make();
    expect(await errorCodeOf(() => inspectTarball(bytes, limits))).toBe(code);
  });
});

test("accepts the same archive features without an attack", async () => {
  const accepted = await inspectTarball(
    tarball([
      pax([["path", "package/long.js"]]),
      valid,
      { path: "././@LongLink", kind: "L", content: "package/longer.js\0" },
      valid,
      { path: "prefixed.js", prefix: "package/lib" },
      { path: "package/gnu.js", magic: "ustar  \0" },
      { path: "package/old.js", kind: "\0" },
      { path: "package", kind: "5" },
      { path: "package/empty/", kind: "5" },
    ]),
    limits,
  );
  expect(accepted.files.map(({ path }) => path)).toEqual([
    "package.json",
    "long.js",
    "longer.js",
    "lib/prefixed.js",
    "gnu.js",
    "old.js",
  ]);
});

test("error messages have a limited length and no control characters", async () => {
  for (const [code, cases] of Object.entries(attacks))
    for (const make of Object.values<Attacks[string]>(cases)) {
      const bytes = await make();
      const refusal = await resultOrError(() => inspectTarball(bytes, limits));
      const { message } = refusal as Error;
      expect(message, code).toMatch(/^\S[^]{10,1501}$/);
      expect(message, code).not.toMatch(/\p{Cc}(?<!\n)/u);
    }
});

test("errors have these messages", async () => {
  const messages = await Promise.all(
    [
      attacks["path-not-normal"]["out of the package"](),
      attacks["dependency-source"]["the workspace"](),
      attacks["install-script"].postinstall(),
      attacks["package-json-field"]["a dependency that is a number"](),
    ].map((bytes) => resultOrError(() => inspectTarball(bytes, limits))),
  );
  expect(messages.map((cases) => (cases as Error).message).join("\n\n")).toMatchInlineSnapshot(`
    "The path "package/../../a.js" contains an empty part, "." or "..". Pack the package with npm pack.

    The version of chess in dependencies is "workspace:^": only the workspace can resolve it. Publish with pnpm or Yarn, which replace it with a version.

    Installing the package would run code, because it has the script postinstall. Remove it, and build before you publish.

    package.json has fields of the wrong type, which clients cannot read. Correct them:
    ✖ Invalid input: expected string, received number
      → at dependencies.chess"
  `);
});

/** Random bytes, which do not compress. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state & 0xff;
    }),
  );
}

function flipBit(archive: Buffer, at: number): Buffer {
  archive[at] = (archive[at] ?? 0) ^ 1;
  return archive;
}
