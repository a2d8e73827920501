import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { readManifest } from "@envs/hub-client";
import { bundleClient } from "@envs/records/bundle";
import { describe, expect, it } from "vitest";

import { environmentPackage, moduleOf } from "../../../cli/test/manifest/package.ts";
import { bundleEnvironment } from "../../src/bundle/bundle-environment.ts";
import { buildManifest } from "../../src/manifest/build-manifest.ts";

const bundleOf = (root: string): string => join(root, "dist/envs.bundle.js");

interface BundleModule {
  readonly request: (text: string) => Promise<string>;
}

describe("envs build", () => {
  it("writes a bundle that the manifest lists with its size and hash", async () => {
    const root = await environmentPackage();
    const { manifest } = await buildManifest(root);
    const code = await readFile(bundleOf(root));
    expect(manifest.runtimes).toEqual(["node", "browser"]);
    expect(manifest.bundle).toEqual({
      path: "dist/envs.bundle.js",
      size: code.length,
      sha256: createHash("sha256").update(code).digest("hex"),
      callsModels: false,
    });
    const file = await readFile(join(root, "envs.manifest.json"));
    expect(readManifest(file).manifest?.bundle).toEqual(manifest.bundle);
  });

  it("writes a bundle that answers without its package", async () => {
    const root = await environmentPackage(`respond: () => end("Over."),`);
    await buildManifest(root);
    const code = await readFile(bundleOf(root), "utf8");
    expect(code).not.toMatch(/^import /m);
    expect(code).not.toContain(root);
    const url = `data:text/javascript,${encodeURIComponent(code)}`;
    const { request } = (await import(/* @vite-ignore */ url)) as BundleModule;
    const { start, respond } = bundleClient(request);
    const { episode } = await start({ example: { index: 0 } });
    expect(await respond({ episode, reply: "7" })).toMatchObject({
      messages: [{ role: "user", content: "Over." }],
      isDone: true,
      scores: { reward: 1 },
    });
  });

  it("writes the same bundle in another folder", async () => {
    const [one, other] = [await environmentPackage(), await environmentPackage()];
    await buildManifest(one);
    await buildManifest(other);
    expect(await readFile(bundleOf(one))).toEqual(await readFile(bundleOf(other)));
  });

  it("names the file that imports a module of Node", async () => {
    const root = await environmentPackage("", {
      files: {
        "dist/index.js": `import { rows } from "./rows.js";\n${moduleOf("dataset: rows,")}`,
        "dist/rows.js": `import { readFileSync } from "node:fs";
export const rows = () => JSON.parse(readFileSync(new URL("./rows.json", import.meta.url), "utf8"));`,
        "dist/rows.json": `[{ "prompt": "Guess." }]`,
      },
    });
    const { manifest } = await buildManifest(root);
    expect(manifest.runtimes).toEqual(["node"]);
    expect(manifest.bundle).toEqual({
      problem: "dist/rows.js imports node:fs, which only Node has.",
    });
    expect(existsSync(bundleOf(root))).toBe(false);
  });

  it("names the package that reads a dataset's files", async () => {
    const data = join(import.meta.dirname, "../../../data/src/index.ts");
    const root = await environmentPackage("", {
      files: {
        "dist/index.js": `import { jsonl } from ${JSON.stringify(data)};\n${moduleOf(
          "dataset: () => [{ prompt: 'Guess.' }], setup: () => jsonl,",
        )}`,
      },
    });
    expect((await buildManifest(root)).manifest.bundle).toEqual({
      problem: expect.stringMatching(
        /^@envs\/data\/src\/.*\.ts imports node:\S+, which only Node has\.$/,
      ) as string,
    });
  });

  it("ignores a module of Node that no code uses", async () => {
    const root = await environmentPackage("", {
      files: {
        "dist/index.js": `import { greeting } from "./tools.js";\n${moduleOf("description: greeting,")}`,
        "dist/tools.js": `import { readFileSync } from "fs";
export const greeting = "Hello";
export const unused = () => readFileSync("x");`,
      },
    });
    expect((await buildManifest(root)).manifest.bundle).toHaveProperty("path");
  });

  it("names the file that imports a package that is not installed", async () => {
    const root = await environmentPackage("", {
      files: {
        "dist/index.js": `import { late } from "./late.js";\n${moduleOf(
          "respond: async () => String(await late()),",
        )}`,
        "dist/late.js": `export const late = () => import("not-installed");`,
      },
    });
    expect((await buildManifest(root)).manifest.bundle).toEqual({
      problem: "dist/late.js imports not-installed, which is not installed.",
    });
  });

  it("reports an environment that calls a model", async () => {
    const root = await environmentPackage("", {
      files: {
        "dist/index.js": `import { openai } from "@envs/models";\n${moduleOf(
          `rubric: { judged: async () => (await openai("m")({ messages: [] })) ? 1 : 0 },
           dataset: () => [{ prompt: "Guess." }],`,
        )}`,
      },
    });
    expect((await buildManifest(root)).manifest.bundle).toMatchObject({ callsModels: true });
  });

  it("writes a bundle again that was changed", async () => {
    const root = await environmentPackage();
    await buildManifest(root);
    await writeFile(bundleOf(root), "// changed");
    expect(await buildManifest(root, { isCheck: true })).toMatchObject({
      state: "stale",
      changed: ["bundle"],
    });
    await buildManifest(root);
    expect((await buildManifest(root, { isCheck: true })).state).toBe("same");
  });

  it("fails when npm would not pack the bundle", async () => {
    const root = await environmentPackage("", {
      packageJson: { files: ["dist/index.js", "envs.manifest.json"] },
    });
    await expect(buildManifest(root)).rejects.toThrow(
      'npm would not include dist/envs.bundle.js in the published package. Add "dist/envs.bundle.js" to "files" in package.json.',
    );
  });
});

describe("bundleEnvironment", () => {
  it("bundles a TypeScript file at run time", async () => {
    const root = await environmentPackage("", {
      files: { "guess.ts": moduleOf(`description: "Guess" as string,`) },
    });
    const outcome = await bundleEnvironment(join(root, "guess.ts"), root);
    expect(outcome).toMatchObject({ callsModels: false });
  });

  it("returns the reason for a file that is not valid", async () => {
    const root = await environmentPackage("", { files: { "guess.ts": "export default (" } });
    const outcome = await bundleEnvironment(join(root, "guess.ts"), root);
    expect(outcome.problem).toMatch(/^It cannot be bundled: .+/);
    expect(outcome.problem).not.toContain(pathToFileURL(root).href);
  });
});
