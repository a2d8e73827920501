import { readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { readManifest } from "@envs/hub-client";
import { describe, expect, test } from "vitest";

import { loadEnvironment } from "../../../cli/src/environments/load-environment.ts";
import { envs, temporaryFolder } from "../../../cli/test/command.ts";
import { environmentPackage, moduleOf } from "../../../cli/test/manifest/package.ts";
import { packageBundle } from "../../src/bundle/package-bundle.ts";
import { buildManifest, createManifest } from "../../src/manifest/build-manifest.ts";

const fileOf = (root: string): string => join(root, "envs.manifest.json");
const manifestOf = async (definition: string) =>
  (await buildManifest(await environmentPackage(definition))).manifest;

describe("a manifest contains", () => {
  test("the name and kind of a minimal environment", async () => {
    const { bundle, contentHash, core, ...manifest } = await manifestOf("");
    expect(manifest).toEqual({
      schema: 1,
      name: "guess",
      package: { name: "@you/guess", version: "1.2.3" },
      tags: [],
      kind: "single-turn",
      config: { type: "object", properties: {}, additionalProperties: false },
      scores: [{ name: "right", weight: 1, isGroup: false }],
      tools: [],
      splits: [{ name: null, size: 1 }],
      policies: [],
      maxTurns: 1,
      example: { messages: [{ role: "user", content: "Guess." }] },
      runtimes: ["node", "browser"],
    });
    expect(bundle).toMatchObject({ path: "dist/envs.bundle.js", callsModels: false });
    expect(contentHash).toMatch(/^sha256-/);
    expect(core).toMatch(/^\d+\.\d+\.\d+/);
  });

  test("the config options with descriptions and defaults", async () => {
    const { config } = await manifestOf(
      `config: z.object({ high: z.int().min(1).default(100).describe("The greatest number") }),`,
    );
    expect(config).toMatchObject({
      properties: {
        high: { type: "integer", minimum: 1, default: 100, description: "The greatest number" },
      },
      additionalProperties: false,
    });
  });

  test("the sandboxes that the environment requires, and only the prompt where they are missing", async () => {
    const root = await environmentPackage(
      `requires: [{ kind: "sandbox", name: "python", check: () => Promise.reject(new Error("Install bubblewrap.")) }],
       policies: { best: () => "yes" },`,
    );
    const { requires, example } = (await buildManifest(root)).manifest;
    expect(requires).toEqual([{ kind: "sandbox", name: "python" }]);
    expect(example).toEqual({ messages: [{ role: "user", content: "Guess." }] });
    const { stdout } = await envs(["info", root]);
    expect(stdout).toContain("needs a sandbox: python");
    expect(stdout).toContain(
      "Not played. guess needs the sandbox python, which does not work here: Install bubblewrap.",
    );
    const { code, stderr } = await envs(["eval", root, "-m", "policy:best"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Install bubblewrap.");
  });

  test("the budget of the sub-model that the environment asks", async () => {
    const root = await environmentPackage("subModel: { maxCalls: 50, maxTokens: () => 9000 },");
    expect((await buildManifest(root)).manifest.subModel).toEqual({
      maxCalls: 50,
      maxTokens: 9000,
    });
    const { stdout } = await envs(["info", root]);
    expect(stdout).toContain("asks a sub-model: at most 50 calls and 9,000 tokens per rollout");
  });

  test("paths inside the package relative to its root", async () => {
    const { config } = await manifestOf(
      `config: z.object({
         file: z.string().default(import.meta.dirname + "/questions.jsonl"),
         list: z.array(z.string()).default([import.meta.dirname + "/../data/a.txt", "/etc/hosts"]),
       }),`,
    );
    expect(config["properties"]).toMatchObject({
      file: { default: "dist/questions.jsonl" },
      list: { default: ["data/a.txt", "/etc/hosts"] },
    });
  });

  test("the scores, without an infinite range", async () => {
    const { scores } = await manifestOf(
      `rubric: {
         right: { score: () => 1, range: [0, 1], description: "1 if right" },
         replies: { weight: 0, score: () => 1, range: [0, Infinity] },
         fastest: { weight: 0.5, group: (all) => all.map(() => 0) },
       },`,
    );
    expect(scores).toEqual([
      { name: "right", description: "1 if right", weight: 1, range: [0, 1], isGroup: false },
      { name: "replies", weight: 0, isGroup: false },
      { name: "fastest", weight: 0.5, isGroup: true },
    ]);
  });

  test("the tools with their input schemas", async () => {
    const { kind, tools, maxTurns, example } = await manifestOf(
      `tools: { hint: { description: "Ask", input: z.object({ of: z.string() }), execute: () => "higher" } },
       policies: {
         asking: ({ turns }) => turns > 0 ? "7" : {
           role: "assistant",
           content: "",
           tool_calls: [{ id: "1", type: "function", function: { name: "hint", arguments: '{"of":"it"}' } }],
         },
       },`,
    );
    expect({ kind, maxTurns }).toEqual({ kind: "tools", maxTurns: 16 });
    expect(tools).toMatchObject([
      { name: "hint", description: "Ask", input: { properties: { of: { type: "string" } } } },
    ]);
    expect(example).toMatchObject({ policy: "asking", reward: 1 });
    expect(example.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
  });

  test("the seats and a game of the best policy", async () => {
    const { kind, seats, policies, example } = await manifestOf(
      `seats: {
         players: { guesser: {}, other: { description: "You choose.", policy: "worst" } },
         turn: () => "guesser",
       },
       respond: ({ turns }) => (turns < 2 ? "Again." : end("Over.")),
       policies: { best: () => "best", worst: () => "worst" },`,
    );
    expect({ kind, seats, policies }).toEqual({
      kind: "multi-turn",
      seats: [{ name: "guesser" }, { name: "other", description: "You choose.", policy: "worst" }],
      policies: ["best", "worst"],
    });
    expect(example.messages.map(({ content }) => content)).toEqual([
      "Guess.",
      "best",
      "Again.",
      "best",
      "Over.",
    ]);
  });

  test("the sizes of the splits, null for infinite ones", async () => {
    const { splits } = await manifestOf(
      `dataset() {
         const rows = function* () { for (;;) yield { prompt: "Guess." }; };
         return { train: rows(), eval: [{ prompt: "a" }, { prompt: "b" }] };
       },`,
    );
    expect(splits).toEqual([
      { name: "train", size: null },
      { name: "eval", size: 2 },
    ]);
  });

  test("the description of package.json if the environment lacks one", async () => {
    const root = await environmentPackage("", { packageJson: { description: "Guess a number" } });
    expect((await buildManifest(root)).manifest.description).toBe("Guess a number");
  });

  test("an example shortened to the manifest's limits", async () => {
    const { example } = await manifestOf(
      `episode: { maxTurns: 100 },
       dataset: () => [{ prompt: [{ role: "user", content: "\\0\\uD800" + "x".repeat(20_000), name: "me" }] }],
       respond: () => "More.",
       policies: { patient: () => "ok" },`,
    );
    expect(example.messages).toHaveLength(64);
    const [first] = example.messages;
    expect(first?.content).toHaveLength(16_384);
    expect(first?.content).toMatch(/^\uFFFD\uFFFDx+ … \(20002 characters in total\)$/);
  });
});

describe.each(["tictactoe", "reverse-text", "double-check", "wiki-search"])("%s", (name) => {
  test("has a deterministic manifest", async () => {
    const loaded = await loadEnvironment(name, join(import.meta.dirname, "../../../.."));
    const built = {
      root: "/",
      name: `@envs/${name}`,
      version: "1.0.0",
      description: undefined,
      core: "1.0.0",
    };
    const bundle = await packageBundle(loaded.root!, fileURLToPath(loaded.module));
    const manifest = await createManifest(built, loaded, bundle);
    const text = JSON.stringify(manifest);
    expect(JSON.stringify(await createManifest(built, loaded, bundle))).toBe(text);
    expect(readManifest(Buffer.from(text)).manifest).toEqual(manifest);
    expect(manifest.example.reward).toBeGreaterThanOrEqual(1);
    expect(manifest.splits.every(({ size }) => size === 1000)).toBe(true);
    expect(manifest.scores.every(({ description }) => description !== undefined)).toBe(true);
  });
});

describe("the manifest file", () => {
  test("is written only if it changes", async () => {
    const root = await environmentPackage();
    expect((await buildManifest(root)).state).toBe("written");
    const bytes = await readFile(fileOf(root));
    expect((await buildManifest(root)).state).toBe("same");
    await rm(fileOf(root));
    await buildManifest(root);
    expect(await readFile(fileOf(root))).toEqual(bytes);
    expect(bytes.toString()).toMatch(/^\{\n {2}"schema": 1,\n[^]*\}\n$/);
  });

  test("does not depend on the package's folder", async () => {
    const [one, other] = [await environmentPackage(), await environmentPackage()];
    await buildManifest(one);
    await buildManifest(other);
    expect(await readFile(fileOf(one))).toEqual(await readFile(fileOf(other)));
  });

  test("is stale after a change of the version, the code or the file", async () => {
    const root = await environmentPackage("", { files: { "dist/other.js": "1;" } });
    const check = () => buildManifest(root, { isCheck: true });
    expect(await check()).toMatchObject({ state: "missing" });
    await buildManifest(root);
    expect(await check()).toMatchObject({ state: "same", changed: [] });

    await writeFile(join(root, "dist/other.js"), "2;");
    expect(await check()).toMatchObject({ state: "stale", changed: ["contentHash"] });
    const packageJson = await readFile(join(root, "package.json"), "utf8");
    await writeFile(join(root, "package.json"), packageJson.replace("1.2.3", "1.2.4"));
    expect(await check()).toMatchObject({ state: "stale", changed: ["package", "contentHash"] });

    await buildManifest(root);
    const text = await readFile(fileOf(root), "utf8");
    await writeFile(fileOf(root), text.trimEnd());
    expect(await check()).toMatchObject({ state: "stale", changed: [] });
    await writeFile(fileOf(root), "{");
    expect((await check()).changed).toContain("schema");
    expect(await readFile(fileOf(root), "utf8")).toBe("{");
  });

  test("does not depend on the README or the time", async () => {
    const root = await environmentPackage();
    await buildManifest(root);
    await writeFile(join(root, "README.md"), "Read me.");
    await utimes(join(root, "dist/index.js"), 1, 1);
    expect((await buildManifest(root, { isCheck: true })).state).toBe("same");
  });

  test("is written for a package behind a symbolic link", async () => {
    const root = await environmentPackage();
    const link = join(await temporaryFolder(), "link");
    await symlink(root, link);
    expect((await buildManifest(link)).state).toBe("written");
    expect((await buildManifest(root)).state).toBe("same");
  });
});

describe("buildManifest reports", () => {
  test("a folder without a package.json", async () => {
    await expect(buildManifest(await temporaryFolder())).rejects.toThrow(
      /No package\.json found in .*\. Run envs build in the folder/,
    );
  });

  test("a package.json that is not JSON", async () => {
    const root = await environmentPackage("", { files: { "package.json": "{" } });
    await expect(buildManifest(root)).rejects.toThrow(/package\.json is not valid JSON/);
  });

  test.each([
    ["name", /no "name"\. Add it, for example: "name": "@you\/my-environment"/],
    ["version", /no "version"\. Add it, for example: "version": "0\.1\.0"/],
    ["exports", /no "exports"\. Add it, for example: "exports": \{ "\.": "\.\/dist\/index\.js"/],
  ])("a package.json without %s", async (field, message) => {
    const root = await environmentPackage("", { packageJson: { [field]: undefined } });
    await expect(buildManifest(root)).rejects.toThrow(message);
  });

  test('exports without an entry for "."', async () => {
    const packageJson = { exports: { "./other": "./dist/index.js" } };
    const root = await environmentPackage("", { packageJson });
    await expect(buildManifest(root)).rejects.toThrow(/do not export "\."/);
  });

  test("a package that is not built", async () => {
    const root = await environmentPackage("", { files: { "src/index.ts": moduleOf() } });
    await rm(join(root, "dist"), { recursive: true });
    await expect(buildManifest(root)).rejects.toThrow(
      "@you/guess is not built: dist/index.js is missing. Compile the package",
    );
  });

  test("a package that cannot resolve core", async () => {
    const root = await environmentPackage("", { files: { "dist/index.js": "export default 1;" } });
    await rm(join(root, "node_modules"), { recursive: true });
    const { stderr, code } = await envs(["build", root]);
    expect(stderr).toMatch(/guess cannot resolve @envs\/core\. Add it to the dependencies/);
    expect(code).toBe(2);
  });

  test("a package without an environment", async () => {
    const root = await environmentPackage("", { files: { "dist/index.js": "export default 1;" } });
    await expect(buildManifest(root)).rejects.toThrow(/does not export an environment/);
  });

  test("different names of the environment and the package", async () => {
    const root = await environmentPackage("", { packageJson: { name: "@you/guessing" } });
    await expect(buildManifest(root)).rejects.toThrow(
      "The environment's name is guess, but its package's name is @you/guessing.",
    );
  });

  test.each<[string, string, RegExp]>([
    [
      "a dataset without rows",
      "dataset: () => [],",
      /Cannot create an example conversation.*its dataset is empty/,
    ],
    ["a dataset that throws", `*dataset() { throw new Error("no such file"); },`, /no such file/],
    [
      "a policy that throws",
      `policies: { best() { throw new Error("lost"); } },`,
      /The policy best of guess failed on the first example: .*lost/,
    ],
    [
      "a config option that JSON Schema cannot describe",
      "config: z.object({ when: z.date().default(new Date(0)) }),",
      /The config cannot be converted to JSON Schema: Date.*Use strings/,
    ],
    [
      "a tool input that JSON Schema cannot describe",
      `tools: { at: { description: "At", input: z.object({ when: z.date() }), execute: () => "" } },`,
      /A tool's input in guess cannot be converted to JSON Schema: Date/,
    ],
    [
      "an option without a default",
      "config: z.object({ high: z.number() }),",
      /The config of guess is not valid without options.*\s+high/,
    ],
    [
      "a weight that is not a number",
      "rubric: { right: { weight: NaN, score: () => 1 } },",
      /weight/,
    ],
    [
      "a tag that is too long",
      `tags: ["x".repeat(100)],`,
      /The manifest of guess is not valid:\s.*Too big.*\s.*tags\[0\]/,
    ],
  ])("%s", async (_, definition, message) => {
    const root = await environmentPackage(definition);
    await expect(buildManifest(root)).rejects.toThrow(message);
  });

  test("a manifest file that npm would not pack, with the line to add", async () => {
    const listed = await environmentPackage("", { packageJson: { files: ["dist"] } });
    await expect(buildManifest(listed)).rejects.toThrow(
      'npm would not include envs.manifest.json in the published package. Add "envs.manifest.json" to "files" in package.json.',
    );
    const ignored = await environmentPackage("", {
      packageJson: { files: undefined },
      files: { ".gitignore": "envs.manifest.json\n" },
    });
    await expect(buildManifest(ignored)).rejects.toThrow(
      'Add this line to package.json: "files": ["dist", "envs.manifest.json"]',
    );
  });

  test("a manifest above the size limit", async () => {
    const options = Array.from(
      { length: 60 },
      (_, index) => `o${index}: z.string().default("").describe("x".repeat(20_000))`,
    );
    const root = await environmentPackage(`config: z.object({ ${options.join(", ")} }),`);
    await expect(buildManifest(root)).rejects.toThrow(/has \d+ bytes; the limit is 1048576/);
  });

  test("a manifest path that is a folder", async () => {
    const root = await environmentPackage("", {
      files: { "envs.manifest.json/in-the-way": "a folder" },
    });
    await expect(buildManifest(root)).rejects.toThrow(/Cannot read .*envs\.manifest\.json/);
  });
});

describe("envs build", () => {
  test("prints the file it wrote, and fails a check with a hint", async () => {
    const root = await environmentPackage();
    expect(await envs(["build", root, "--check"])).toEqual({
      stdout: "",
      stderr: "✗ envs.manifest.json is missing. Run: envs build\n",
      code: 1,
    });
    expect(await envs(["build", root])).toEqual({
      stdout: "✓ envs.manifest.json\n",
      stderr: "",
      code: 0,
    });
    expect(await envs(["build", root, "--check"])).toMatchObject({ code: 0, stderr: "" });
    await writeFile(join(root, "dist/other.js"), "");
    expect(await envs(["build", root, "--check"])).toMatchObject({
      stderr: "✗ envs.manifest.json is out of date (contentHash). Run: envs build\n",
      code: 1,
    });
    const { stdout, code } = await envs(["build", root, "--check", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "envs.manifest.json",
      state: "stale",
      changed: ["contentHash"],
      name: "guess",
      package: { name: "@you/guess", version: "1.2.3" },
    });
    expect(code).toBe(1);
  });

  test("warns if the sources are newer than the build", async () => {
    const root = await environmentPackage("", { files: { "src/index.ts": "" } });
    await utimes(join(root, "dist/index.js"), 1, 1);
    const { stderr, code } = await envs(["build", root]);
    expect(stderr).toMatch(/The build of guess is older than its sources/);
    expect(code).toBe(0);
  });
});
