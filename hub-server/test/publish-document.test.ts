import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

import type { hubErrorAreas } from "@envs/hub-client/error-reference";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { publishDocument } from "../src/packages/publish/document.ts";
import { inspectUpload, type PackageUpload } from "../src/packages/publish/inspect-upload.ts";
import { packageLimits } from "../src/packages/tarball/limits.ts";
import { HubError } from "../src/platform/errors/hub-error.ts";
import { packageJson, tarball } from "./support/archive.ts";
import { errorCodeOf, resultOrError } from "./support/errors.ts";

const captured = new URL("fixtures/publish/", import.meta.url);

async function verify(body: unknown, name: string): Promise<PackageUpload> {
  return inspectUpload(publishDocument(body, name, packageLimits), packageLimits);
}

/** Any part of a document, for tests to change. */
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

const fields = {
  dependencies: { "left-pad": "^1.0.0" },
  optionalDependencies: { maybe: "^2.0.0" },
  peerDependencies: { zod: "^4.0.0" },
  bin: { chess: "cli.js" },
};
const bytes = tarball([packageJson(fields)]);

/** A document as npm sends it, with one change. */
function document(change: (document: Loose) => void = () => undefined): unknown {
  const whole: Loose = {
    _id: "@envs/chess",
    name: "@envs/chess",
    access: "public",
    "dist-tags": { latest: "1.0.0" },
    versions: {
      "1.0.0": {
        name: "@envs/chess",
        version: "1.0.0",
        ...structuredClone(fields),
        gitHead: "0".repeat(40),
        _npmVersion: "11.0.0",
        dist: {
          integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
          shasum: createHash("sha1").update(bytes).digest("hex"),
          tarball: "http://localhost/@envs/chess/-/@envs/chess-1.0.0.tgz",
        },
      },
    },
    _attachments: {
      "@envs/chess-1.0.0.tgz": {
        content_type: "application/octet-stream",
        data: Buffer.from(bytes).toString("base64"),
        length: bytes.length,
      },
    },
  };
  change(whole);
  return whole;
}

/** A document with another tarball and without hashes. */
function documentOf(tarball: Uint8Array): unknown {
  return document((each) => {
    const attachment = each._attachments["@envs/chess-1.0.0.tgz"];
    attachment.data = Buffer.from(tarball).toString("base64");
    attachment.length = tarball.length;
    delete each.versions["1.0.0"].dist;
  });
}

describe("a captured publish document", () => {
  test.each(["npm-11-scoped", "npm-12-scoped", "pnpm-12-scoped", "yarn-1-scoped", "yarn-4-scoped"])(
    "is accepted from %s",
    async (file) => {
      const body = JSON.parse(await readFile(new URL(`${file}.json`, captured), "utf8"));
      const { name, version, tag, access, manifest, readme, files, fileCount } = await verify(
        body,
        "@fixture/rich",
      );
      expect({ name, version, tag, access }).toEqual({
        name: "@fixture/rich",
        version: "1.2.3-beta.1",
        tag: "beta",
        access: "public",
      });
      expect(manifest).toMatchObject({
        description: "A package with everything",
        keywords: ["llm-environment", "fixture"],
        bin: { rich: "bin/cli.js" },
        dependencies: { chess: "npm:chess@^1.0.0-rc", any: "", tagged: "latest" },
        optionalDependencies: { twice: "~1.0.0", maybe: "^2" },
        peerDependencies: { zod: "^4.0.0" },
        os: ["linux", "darwin"],
      });
      expect(readme).toEqual({
        file: "README.md",
        text: "# Rich\n\nA package with everything.\n",
      });
      expect(fileCount).toBe(8);
      expect(files.find(({ path }) => path === "bin/cli.js")?.isExecutable).toBe(true);
      const paths = files.map(({ path }) => path);
      expect(paths).toContain("data/größe und ☃.txt");
      expect(paths.find((path) => path.length > 150)).toMatch(/^long\/.*\/leaf\.js$/);
    },
  );

  test.each(["npm-11", "pnpm-12", "yarn-1", "yarn-4"])(
    "with commands is accepted from %s",
    async (client) => {
      const read = async (kind: string): Promise<unknown> =>
        JSON.parse(await readFile(new URL(`${client}-${kind}.json`, captured), "utf8"));
      const byName = await verify(await read("commands"), "plain-bin");
      expect(byName.manifest.bin).toEqual({ rich: "bin/cli.js", also: "bin/cli.js" });
      const inFolder = await verify(await read("folder-of-commands"), "dir-bin");
      expect(inFolder.manifest.bin).toEqual({ "cli.js": "bin/cli.js" });
    },
  );

  test.each(["pnpm-12", "yarn-4"])("of a workspace is accepted from %s", async (client) => {
    const file = new URL(`${client}-workspace.json`, captured);
    const { manifest } = await verify(
      JSON.parse(await readFile(file, "utf8")),
      "@fixture/member-a",
    );
    expect(manifest).toMatchObject({
      dependencies: { "member-b": "^2.3.4", "left-pad": "^1.0.0" },
      peerDependencies: { "member-b": "2.3.4" },
    });
  });

  test("exists for exactly these clients", async () => {
    const clients = (await readdir(captured)).map((file) => /^[a-z]+-\d+/.exec(file)?.[0]);
    expect([...new Set(clients)].sort()).toEqual([
      "npm-11",
      "npm-12",
      "pnpm-12",
      "yarn-1",
      "yarn-4",
    ]);
  });
});

test("returns the document's version, tag, access, tarball and build metadata", async () => {
  const verified = await verify(document(), "@envs/chess");
  expect(verified).toMatchObject({
    name: "@envs/chess",
    version: "1.0.0",
    tag: "latest",
    access: "public",
    attestations: [],
    hints: { gitHead: "0".repeat(40), npmVersion: "11.0.0" },
  });
  expect(Buffer.from(verified.tarball).equals(bytes)).toBe(true);
  expect(verified).not.toHaveProperty("claim");
});

test("access and hashes are optional", async () => {
  const verified = await verify(
    document((each) => {
      each.access = null;
      delete each.versions["1.0.0"].dist;
      delete each._attachments["@envs/chess-1.0.0.tgz"].length;
    }),
    "@envs/chess",
  );
  expect(verified.access).toBeUndefined();
  expect(verified.shasum).toBe(createHash("sha1").update(bytes).digest("hex"));
});

test("keeps an attestation unchanged", async () => {
  const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json";
  const text = JSON.stringify({ mediaType, verificationMaterial: {}, note: "☃" });
  const { attestations } = await verify(
    document((each) => {
      each._attachments["@envs/chess-1.0.0.sigstore"] = {
        content_type: mediaType,
        data: text,
        length: text.length,
      };
    }),
    "@envs/chess",
  );
  expect(attestations).toEqual([{ mediaType, text }]);
});

test("accepts an integrity with additional hashes", async () => {
  const sha1 = createHash("sha1").update(bytes).digest("base64");
  const verified = verify(
    document((each) => {
      each.versions["1.0.0"].dist.integrity += ` sha1-${sha1} sha256-unknown`;
    }),
    "@envs/chess",
  );
  await expect(verified).resolves.toMatchObject({ name: "@envs/chess" });
});

type Change = (document: Loose) => void;
const version =
  (change: Change): Change =>
  (each) =>
    change(each.versions["1.0.0"]);
const attachment =
  (change: Change): Change =>
  (each) =>
    change(each._attachments["@envs/chess-1.0.0.tgz"]);

/** Attacks by error code. The type requires an entry for every code of publish documents. */
const attacks = {
  "document-invalid": {
    "no versions": (each) => delete each.versions,
    "no attachments": (each) => delete each._attachments,
    "no dist-tags": (each) => delete each["dist-tags"],
    "attachments that are a list": (each) => (each._attachments = []),
    "data that is a number": attachment((each) => (each.data = 1)),
    "another access": (each) => (each.access = "secret"),
    "dependencies that are a list": version((each) => (each.dependencies = ["left-pad"])),
  },
  "document-versions": {
    "no version": (each) => (each.versions = {}),
    "two versions": (each) =>
      (each.versions["1.0.1"] = { ...each.versions["1.0.0"], version: "1.0.1" }),
  },
  "document-name": {
    "another name than the URL": (each) => (each.name = "@envs/go"),
    "another name in the version": version((each) => (each.name = "@envs/go")),
  },
  "document-version": {
    "another version in the version": version((each) => (each.version = "1.0.1")),
  },
  "name-invalid": {
    "capital letters": (each) => (each.name = "@envs/Chess"),
  },
  "version-invalid": {
    "build metadata": (each) => (each.versions = { "1.0.0+1": each.versions["1.0.0"] }),
  },
  "tag-invalid": {
    "a range": (each) => (each["dist-tags"] = { "1.x": "1.0.0" }),
  },
  "document-tag": {
    "no tag": (each) => (each["dist-tags"] = {}),
    "two tags": (each) => (each["dist-tags"].beta = "1.0.0"),
    "another version": (each) => (each["dist-tags"].latest = "0.9.0"),
  },
  "attachment-missing": {
    "no attachment": (each) => (each._attachments = {}),
  },
  "attachment-name": {
    "without the scope": (each) => {
      each._attachments = { "chess-1.0.0.tgz": each._attachments["@envs/chess-1.0.0.tgz"] };
    },
    "another version": (each) => {
      each._attachments = { "@envs/chess-1.0.1.tgz": each._attachments["@envs/chess-1.0.0.tgz"] };
    },
    "an additional attachment": (each) => (each._attachments["evil.tgz"] = { data: "" }),
  },
  "attachment-encoding": {
    "a character outside base64": attachment((each) => (each.data = `!${each.data.slice(1)}`)),
    "a space": attachment((each) => (each.data = ` ${each.data.slice(1)}`)),
    "padding in the middle": attachment(
      (each) => (each.data = `${each.data.slice(0, 40)}====${each.data.slice(44)}`),
    ),
    "an incomplete byte": attachment((each) => (each.data = each.data.slice(0, 41))),
    "a statement of invalid JSON": (each) =>
      (each._attachments["@envs/chess-1.0.0.sigstore"] = { data: "bundle" }),
    "a statement without a bundle": (each) =>
      (each._attachments["@envs/chess-1.0.0.sigstore"] = { data: "{}" }),
  },
  "attachment-length": {
    "one byte too many": attachment((each) => (each.length += 1)),
    "the length of the base64": attachment((each) => (each.length = each.data.length)),
    "a statement above the size limit": (each) =>
      (each._attachments["@envs/chess-1.0.0.sigstore"] = { data: " ".repeat(300_000) }),
  },
  "tarball-too-large": {
    "more than the size limit": attachment((each) => (each.data = "A".repeat(28_000_000))),
  },
  "integrity-mismatch": {
    "another integrity": version((each) => (each.dist.integrity = `sha512-${"A".repeat(86)}==`)),
    "another shasum": version((each) => (each.dist.shasum = "0".repeat(40))),
    "another tarball": attachment((each) => {
      const other = tarball([packageJson({ ...fields, description: "another" })]);
      each.data = Buffer.from(other).toString("base64");
      each.length = other.length;
    }),
  },
  "document-differs": {
    "an additional dependency": version((each) => (each.dependencies.evil = "1.0.0")),
    "a missing dependency": version((each) => delete each.dependencies["left-pad"]),
    "no dependencies": version((each) => delete each.dependencies),
    "another range": version((each) => (each.dependencies["left-pad"] = "*")),
    "a dependency named like a property of objects": version(
      (each) => (each.dependencies["constructor"] = "1.0.0"),
    ),
    "no optional dependencies": version((each) => delete each.optionalDependencies),
    "another peer": version((each) => (each.peerDependencies.zod = "^3")),
    "an additional command": version((each) => (each.bin.go = "cli.js")),
    "another file for a command": version((each) => (each.bin.chess = "other.js")),
    "another command": version((each) => (each.bin = "cli.mjs")),
  },
} satisfies Record<
  keyof (typeof hubErrorAreas)["Package documents"] | "tarball-too-large",
  Readonly<Record<string, Change>>
>;

describe.each(Object.entries(attacks))("%s", (code, each: Readonly<Record<string, Change>>) => {
  test.each(Object.entries(each))("%s", async (_, change) => {
    expect(await errorCodeOf(() => verify(document(change), "@envs/chess"))).toBe(code);
  });
});

test.each([
  ["document-name", { name: "@envs/go" }],
  ["document-version", { version: "1.0.1" }],
] as const)("rejects another package's tarball: %s", async (code, other) => {
  const body = documentOf(tarball([packageJson({ ...fields, ...other })]));
  expect(await errorCodeOf(() => verify(body, "@envs/chess"))).toBe(code);
});

test("accepts equivalent spellings of fields", async () => {
  const body = documentOf(
    tarball([
      packageJson({
        ...fields,
        dependencies: { maybe: "^2.0.0", ...fields.dependencies },
        bin: { chess: "./cli.js", "@envs/more": "more.js" },
      }),
    ]),
  );
  await expect(verify(body, "@envs/chess")).resolves.toMatchObject({
    manifest: { bin: { chess: "cli.js", more: "more.js" } },
  });
});

test.each([undefined, null, 1, "text", [], {}, { name: "@envs/chess" }, { versions: null }])(
  "rejects the body %j",
  async (body) => {
    expect(await errorCodeOf(() => verify(body, "@envs/chess"))).toBe("document-invalid");
  },
);

test("accepts or rejects any document without an internal error", async () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("@envs/chess", "1.0.0", "__proto__"));
  const path = fc.constantFrom<readonly string[]>(
    ["name"],
    ["access"],
    ["dist-tags"],
    ["dist-tags", "latest"],
    ["versions"],
    ["versions", "1.0.0"],
    ["versions", "1.0.0", "dist"],
    ["versions", "1.0.0", "dependencies"],
    ["versions", "1.0.0", "bin"],
    ["_attachments"],
    ["_attachments", "@envs/chess-1.0.0.tgz"],
    ["_attachments", "@envs/chess-1.0.0.tgz", "data"],
  );
  await fc.assert(
    fc.asyncProperty(path, value, async (path, value) => {
      const body = document((whole) => {
        const last = path.at(-1) ?? "";
        const parent = path.slice(0, -1).reduce((each, key) => each[key], whole);
        parent[last] = value;
      });
      const outcome = await resultOrError(() => verify(body, "@envs/chess"));
      if (!(outcome instanceof HubError)) expect(outcome).toMatchObject({ name: "@envs/chess" });
    }),
  );
});
