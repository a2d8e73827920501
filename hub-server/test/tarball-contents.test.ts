import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflateRawSync, constants, gzipSync } from "node:zlib";

import { manifestFile } from "@envs/hub-client";
import { packageContentHash } from "@envs/records";
import { describe, expect, test } from "vitest";

import { type InspectedPackage, inspectTarball } from "../src/packages/tarball/inspect.ts";
import { packageLimits } from "../src/packages/tarball/limits.ts";
import { archive, packageJson, type RawEntry, tarball } from "./support/archive.ts";
import { errorCodeOf } from "./support/errors.ts";
import { environmentManifest } from "./support/manifest.ts";

const inspect = (...entries: readonly RawEntry[]): Promise<InspectedPackage> =>
  inspectTarball(tarball(entries), packageLimits);
const manifestOf = async (fields: Readonly<Record<string, unknown>>, ...files: RawEntry[]) =>
  (await inspect(packageJson(fields), ...files)).manifest;

test("returns a tarball's files and hashes", async () => {
  const bytes = tarball([
    { path: "package/cli.js", content: "#!/usr/bin/env node\n", mode: 0o755 },
    { path: "package/lib/empty.txt" },
  ]);
  const { files, fileCount, unpackedSize, shasum, integrity, name, version } = await inspectTarball(
    bytes,
    packageLimits,
  );
  expect([name, version]).toEqual(["@envs/chess", "1.0.0"]);
  expect(files).toEqual([
    expect.objectContaining({ path: "package.json" }),
    {
      path: "cli.js",
      size: 20,
      sha256: createHash("sha256").update("#!/usr/bin/env node\n").digest("hex"),
      isExecutable: true,
    },
    {
      path: "lib/empty.txt",
      size: 0,
      sha256: createHash("sha256").digest("hex"),
      isExecutable: false,
    },
  ]);
  expect(fileCount).toBe(3);
  expect(unpackedSize).toBe(files[0]!.size + 20);
  expect(shasum).toBe(createHash("sha1").update(bytes).digest("hex"));
  expect(integrity).toBe(`sha512-${createHash("sha512").update(bytes).digest("base64")}`);
});

test("handles a large tarball like a small one", async () => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => (n * n) % 251));
  const bytes = tarball([{ path: "package/large.bin", content }]);
  const { files, shasum } = await inspectTarball(bytes, packageLimits);
  expect(files[1]).toMatchObject({
    size: 3_000_000,
    sha256: createHash("sha256").update(content).digest("hex"),
  });
  expect(shasum).toBe(createHash("sha1").update(bytes).digest("hex"));
});

test("accepts a gzip header with a file name", async () => {
  const bytes = tarball([]);
  const named = Uint8Array.from([
    ...bytes.subarray(0, 3),
    8,
    ...bytes.subarray(4, 10),
    ...Buffer.from("chess.tar\0"),
    ...bytes.subarray(10),
  ]);
  expect((await inspectTarball(named, packageLimits)).name).toBe("@envs/chess");
});

test("does not modify the caller's bytes", async () => {
  const bytes = tarball([{ path: "package/README.md", content: "# Chess" }]);
  const before = Uint8Array.from(bytes);
  await inspectTarball(bytes, packageLimits);
  expect(Uint8Array.from(bytes)).toEqual(before);
});

describe("the manifest that the registry serves", () => {
  test("keeps the author's fields", async () => {
    const fields = {
      description: "A game",
      keywords: ["game"],
      license: "MIT",
      type: "module",
      exports: { ".": "./index.js" },
      dependencies: {
        "left-pad": "^1.0.0",
        "@envs/chess-js": "npm:chess.js@^1.0.0",
        go: "npm:go@^1.0.0",
        any: "",
        tag: "latest",
      },
      peerDependencies: { zod: "^4.0.0 || >=5" },
      peerDependenciesMeta: { zod: { optional: true } },
      devDependencies: { core: "workspace:^" },
      engines: { node: ">=22" },
      scripts: { prepare: "tsc -b", test: "vitest" },
      publishConfig: { access: "public" },
    };
    expect(await manifestOf(fields)).toEqual({ name: "@envs/chess", version: "1.0.0", ...fields });
  });

  test("omits fields that only the registry sets", async () => {
    const manifest = await manifestOf({
      _id: "@envs/other@1.0.0",
      _npmUser: { name: "somebody" },
      _hasShrinkwrap: true,
      dist: { tarball: "http://example.com/other.tgz" },
      deprecated: "use mine",
      hasInstallScript: true,
      maintainers: [{ name: "somebody" }],
      readme: "# Other",
      readmeFilename: "OTHER.md",
      private: false,
      bundleDependencies: [],
    });
    expect(manifest).toEqual({ name: "@envs/chess", version: "1.0.0" });
  });

  test("omits descriptive fields of the wrong type", async () => {
    const manifest = await manifestOf({
      description: 7,
      keywords: { a: 1 },
      homepage: ["http://example.com"],
      author: 1,
      repository: { type: "git" },
    });
    expect(manifest).toEqual({ name: "@envs/chess", version: "1.0.0" });
  });

  test("normalizes single values to lists", async () => {
    expect(await manifestOf({ os: "linux", cpu: ["x64"], keywords: "game" })).toMatchObject({
      os: ["linux"],
      cpu: ["x64"],
      keywords: ["game"],
    });
  });

  test.each([
    ["one path", { bin: "./cli.js" }, { chess: "cli.js" }],
    ["paths by name", { bin: { a: "./lib/../cli.js", b: "b.js" } }, { a: "cli.js", b: "b.js" }],
    ["a name with a scope", { bin: { "@envs/play": "cli.js" } }, { play: "cli.js" }],
    ["a folder", { directories: { bin: "./bin" } }, { "one.js": "bin/one.js", two: "bin/in/two" }],
    ["a folder beside paths", { bin: "cli.js", directories: { bin: "bin" } }, { chess: "cli.js" }],
  ])("has commands by name: %s", async (_, fields, bin) => {
    const manifest = await manifestOf(
      fields,
      { path: "package/bin/one.js" },
      { path: "package/bin/in/two" },
      { path: "package/bin/.hidden" },
      { path: "package/binary" },
    );
    expect(manifest.bin).toEqual(bin);
  });
});

describe("the README", () => {
  test.each([
    [["readme.txt", "README.md", "README"], "README.md"],
    [["README", "ReadMe.markdown"], "ReadMe.markdown"],
    [["readme.html", "README"], "README"],
    [["docs/README.md", "readme"], "readme"],
    [["docs/README.md", "README.js", "READMEish.md"], undefined],
  ])("of %j is %s", async (paths, file) => {
    const entries = paths.map((path) => ({ path: `package/${path}`, content: path }));
    const { readme } = await inspect(...entries);
    expect(readme).toEqual(file === undefined ? undefined : { file, text: file });
  });

  test("is valid text for PostgreSQL, whatever its bytes", async () => {
    const content = Buffer.from("# Gr\xfc\xdfe\0\n", "latin1");
    const { readme } = await inspect({ path: "package/README.md", content });
    expect(readme?.text).toBe("# Gr\u{FFFD}\u{FFFD}e\u{FFFD}\n");
  });

  test("is truncated between characters", async () => {
    const limits = { ...packageLimits, readme: 10 };
    const bytes = tarball([{ path: "package/README.md", content: "☃☃☃☃☃" }]);
    expect((await inspectTarball(bytes, limits)).readme?.text).toBe("☃☃☃");
  });
});

describe("an environment", () => {
  const files = [
    { path: "src/index.ts", bytes: Buffer.from("export default 1;\n") },
    { path: "dist/index.js", bytes: Buffer.from("export default 1;\n") },
  ];
  const entries = files.map(({ path, bytes }) => ({ path: `package/${path}`, content: bytes }));

  test("is a package with a manifest of its files", async () => {
    const manifest = environmentManifest(await packageContentHash(files));
    const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
    const { environment } = await inspect(...entries, {
      path: `package/${manifestFile}`,
      content: text,
    });
    expect(environment).toEqual({ text, manifest });
  });

  test("needs a manifest at the root", async () => {
    const { environment } = await inspect(...entries, {
      path: `package/lib/${manifestFile}`,
      content: "{",
    });
    expect(environment).toBeUndefined();
  });

  test("is rejected with all problems of its manifest", async () => {
    const manifest = { ...environmentManifest("sha256-0"), kind: "puzzle" };
    const inspection = inspect({
      path: `package/${manifestFile}`,
      content: JSON.stringify(manifest),
    });
    await expect(inspection).rejects.toThrowErrorMatchingInlineSnapshot(`
      [HubError: envs.manifest.json is not a valid manifest. Write it again with envs build.
      ✖ Invalid option: expected one of "single-turn"|"multi-turn"|"tools"
        → at kind
      ✖ is not a content hash
        → at contentHash]
    `);
  });
});

describe("a bomb", () => {
  /** A gzip file of a thousand megabytes of zeros, one flushed block a megabyte. */
  function bomb(claimed: number): Uint8Array<ArrayBuffer> {
    const block = deflateRawSync(Buffer.alloc(1024 * 1024), {
      finishFlush: constants.Z_FULL_FLUSH,
    });
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(claimed, 4);
    const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    const blocks = Array.from({ length: 1024 }, () => block);
    return Uint8Array.from(
      Buffer.concat([Buffer.from(header), ...blocks, Buffer.from([3, 0]), trailer]),
    );
  }

  test.each([
    ["is honest", 1024 ** 3, "tarball-unpacked-too-large", 32 * 1024 ** 2],
    ["claims to be small", 2048, "tarball-corrupt", 32 * 1024 ** 2],
    [
      "claims what is just allowed",
      packageLimits.unpacked,
      "tarball-corrupt",
      1.5 * packageLimits.unpacked,
    ],
  ])("that %s stays below the memory limit", async (_, claimed, code, maxBytes) => {
    const bytes = bomb(claimed);
    expect(await errorCodeOf(() => inspectTarball(bytes, packageLimits))).toBe(code);
    const { stdout } = await inChild(bytes);
    const { refused, grownBy } = JSON.parse(stdout) as { refused: string; grownBy: number };
    expect(refused).toBe(code);
    expect(grownBy).toBeLessThan(maxBytes);
  });

  test("of many small files is rejected at the limit", async () => {
    const length = packageLimits.entries + 1;
    const entries = Array.from({ length }, (_, n) => ({ path: `package/${n}` }));
    const bytes = gzipSync(archive([packageJson(), ...entries]));
    expect(await errorCodeOf(() => inspectTarball(bytes, packageLimits))).toBe(
      "tarball-too-many-files",
    );
  });

  /** Inspects in a new process, because the peak of a process's memory never decreases. */
  function inChild(bytes: Uint8Array): Promise<{ stdout: string }> {
    const script = new URL("fixtures/weigh-inspection.ts", import.meta.url).pathname;
    const child = promisify(execFile)(process.execPath, [script]);
    child.child.stdin?.end(bytes);
    return child;
  }
});
