import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";

import { hubErrorAreas } from "@envs/hub-client/error-reference";
import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { pack } from "tar-stream";
import { expect, test } from "vitest";

import { tarEntries } from "../src/packages/tarball/archive.ts";
import { inspectTarball } from "../src/packages/tarball/inspect.ts";
import { packageLimits } from "../src/packages/tarball/limits.ts";
import { HubError } from "../src/platform/errors/hub-error.ts";
import { archive, packageJson, pax, type RawEntry, sign } from "./support/archive.ts";
import { resultOrError } from "./support/errors.ts";
import { readWithNodeTar, readWithTarStream } from "./support/tar-readers.ts";

/** Names differ in more than case, and no folder has the name of a file: any set of paths is a valid tree. */
const folder = fc.constantFrom("lib", "dist", "äußeres", ".hidden", "a folder", "☃");
const file = fc.constantFrom("index.js", "LICENSE", "b.d.ts", "größe.txt", "x".repeat(120), "日本");
const path = fc
  .tuple(fc.array(folder, { maxLength: 4 }), file)
  .map(([folders, name]) => [...folders, name].join("/"))
  .filter((each) => Buffer.byteLength(each) <= packageLimits.path);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.constantFrom(511, 512, 513).map((length) => new Uint8Array(length)),
);
const files = fc.dictionary(path, content, { maxKeys: 12 });
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** How packers write a path that is too long for its field, or not ASCII. */
const styles = fc.constantFrom("prefix", "extended header", "long name");

function entriesOf(path: string, content: Buffer, style: string): RawEntry[] {
  const whole = `package/${path}`;
  const slash = whole.slice(0, 150).lastIndexOf("/");
  const name = whole.slice(slash + 1);
  if (style === "prefix" && isAscii(whole) && name.length <= 100)
    return [{ path: name, prefix: whole.slice(0, slash), content }];
  if (style === "long name")
    return [
      { path: "././@LongLink", kind: "L", content: `${whole}\0`, magic: "ustar  \0" },
      { path: whole, content, magic: "ustar  \0" },
    ];
  return [pax([["path", whole]]), { path: whole, content }];
}

test("reads any tree of files in any tar dialect", async () => {
  await fc.assert(
    fc.asyncProperty(files, styles, async (tree, style) => {
      const entries = Object.entries(tree).flatMap(([path, bytes]) =>
        entriesOf(path, Buffer.from(bytes), style),
      );
      const tarball = gzipSync(archive([packageJson(), ...entries]));
      const { files, unpackedSize } = await inspectTarball(tarball, packageLimits);
      const [, ...others] = files;
      expect(others.map(({ path, size }) => [path, size])).toEqual(
        Object.entries(tree).map(([path, { length }]) => [path, length]),
      );
      expect(unpackedSize).toBe(files.reduce((sum, { size }) => sum + size, 0));
    }),
  );
});

test("reads what tar-stream packs", async () => {
  await fc.assert(
    fc.asyncProperty(files, async (tree) => {
      const packer = pack();
      for (const [path, bytes] of Object.entries(tree))
        packer.entry({ name: `package/${path}` }, Buffer.from(bytes));
      packer.finalize();
      const entries = [...tarEntries(await buffer(packer))];
      expect(
        entries.map(({ path, content }) => [path.toString(), content.toString("hex")]),
      ).toEqual(
        Object.entries(tree).map(([path, bytes]) => [
          `package/${path}`,
          Buffer.from(bytes).toString("hex"),
        ]),
      );
    }),
  );
});

const sample = archive([
  packageJson({ dependencies: { chess: "^1.0.0" }, bin: "cli.js" }),
  { path: "package/cli.js", content: "#!/usr/bin/env node\n", mode: 0o755 },
  pax([["path", `package/${"deep/".repeat(30)}größe.txt`]]),
  { path: "package/short.txt", content: "content" },
  { path: "././@LongLink", kind: "L", content: "package/long.txt\0" },
  { path: "package/other.txt", content: "x".repeat(600) },
  { path: "package/folder", kind: "5" },
  { path: "end.txt", prefix: "package/prefix", content: "end" },
]);
const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
  minLength: 1,
  maxLength: 8,
});

function flipped(bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [position, mask] of changes) {
    const at = position % copy.length;
    copy[at] = (copy[at] ?? 0) ^ mask;
  }
  return copy;
}

function expectRefusalOrNot(outcome: unknown): void {
  const codes = [hubErrorAreas.Tarballs, hubErrorAreas["Package content"]].flatMap(Object.keys);
  if (outcome instanceof HubError) expect(codes).toContain(outcome.code);
}

test("reads corrupted bytes or rejects them with an error code of tarballs", async () => {
  const tarball = gzipSync(sample);
  await fc.assert(
    fc.asyncProperty(flips, async (changes) => {
      const bytes = Uint8Array.from(flipped(tarball, changes));
      expectRefusalOrNot(await resultOrError(() => inspectTarball(bytes, packageLimits)));
    }),
    { numRuns: cases(500) },
  );
});

test("rejects arbitrary bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.boolean(), async (bytes, isPacked) => {
      const tarball = isPacked ? gzipSync(bytes) : Uint8Array.from(bytes);
      expect(await resultOrError(() => inspectTarball(tarball, packageLimits))).toBeInstanceOf(
        HubError,
      );
    }),
  );
});

/** Offsets of the sample's headers. The test corrects their checksums, as an attacker would. */
const headers = [...headerOffsets(sample)];

/** Bytes that have a meaning in a header. */
const specialBytes = fc.constantFrom(
  ..."\0\x80\xff/0123456789xgLKSNVDM .-~".split("").map((each) => each.charCodeAt(0)),
);
const headerChange = fc.tuple(
  fc.nat(headers.length - 1),
  fc.oneof(fc.nat(511), fc.integer({ min: 100, max: 157 }), fc.integer({ min: 257, max: 264 })),
  fc.oneof(specialBytes, fc.integer({ min: 0, max: 255 })),
);

test("tar-stream and node-tar read the same files from an accepted archive", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(headerChange, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 2 }),
      async (changes, anywhere) => {
        const changed = flipped(sample, anywhere);
        for (const [header, at, value] of changes) changed[(headers[header] ?? 0) + at] = value;
        for (const offset of headers) sign(changed.subarray(offset, offset + 512));
        const tarball = gzipSync(changed);
        const outcome = await resultOrError(() => inspectTarball(tarball, packageLimits));
        if (outcome instanceof HubError) return;
        accepted += 1;
        const ours = Object.fromEntries(
          Array.from(tarEntries(gunzipSync(tarball)))
            .filter(({ isFolder }) => !isFolder)
            .map(({ path, content }) => [path.toString(), content.toString("latin1")]),
        );
        expect(await readWithTarStream(tarball)).toEqual(ours);
        expect(await readWithNodeTar(tarball)).toEqual(ours);
      },
    ),
    { numRuns: cases(2000) },
  );
  expect(accepted).toBeGreaterThan(cases(40));
});

function* headerOffsets(archive: Buffer): Generator<number> {
  for (let offset = 0; archive[offset] !== 0;) {
    yield offset;
    const size = Number.parseInt(archive.toString("latin1", offset + 124, offset + 135), 8);
    offset += 512 + Math.ceil(size / 512) * 512;
  }
}
