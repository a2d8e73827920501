import { beforeAll, expect, test } from "vitest";

import { browser, type Page } from "./support/browser.ts";
import { anyDatabase } from "./support/hub.ts";
import { makePerson, type Person } from "./support/person.ts";
import { publishEnvironment } from "./support/publish-environment.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
let ada: Person;

const config = (turns: object) => ({
  type: "object",
  properties: { turns: { type: "integer", default: 8, ...turns } },
});
const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>`;

beforeAll(async () => {
  ada = await makePerson(server, "ada");
  const as = ada;
  const packageJson = {
    description: "Play chess",
    license: "MIT",
    repository: "github:ada/chess",
    dependencies: { "@ada/rules": "^1.0.0", zod: "^4.0.0" },
  };
  await publishOrThrow(server, "@ada/rules", { as, files: { "index.js": "export {};\n" } });
  await publishEnvironment(server, "@ada/chess", {
    as,
    packageJson,
    files: {
      "README.md": "# Chess\n\nSee [the board](src/board.ts).\n",
      "src/board.ts": "const size: number = 8;\nexport default size;\n",
      "image.svg": "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
      "page.html": "<script>alert(1)</script>",
      "data.bin": Buffer.from([0, 1, 2]),
    },
    manifest: {
      config: config({ maximum: 20 }),
      policies: ["random"],
      scores: [
        { name: "win", weight: 1, range: [0, 1], isGroup: false },
        { name: "moves", weight: 0, isGroup: false },
      ],
      requires: [{ kind: "sandbox", name: "python" }],
      subModel: { maxCalls: 50, maxTokens: 9000 },
    },
  });
  await publishEnvironment(server, "@ada/chess", {
    as,
    version: "1.1.0",
    packageJson,
    files: {
      "README.md": `# Chess\n\n${hostile}\n`,
      "src/board.ts": "const size: number = 10;\nexport default size;\n",
      "src/new-file.ts": `// ${hostile}\n`,
    },
    manifest: {
      description: `Chess ${hostile}`,
      config: config({ maximum: 10, description: hostile }),
      scores: [
        { name: "win", weight: 1, range: [0, 1], isGroup: false },
        { name: "relative", weight: 1, isGroup: true, description: hostile },
      ],
      tools: [{ name: "look", description: hostile, input: { type: "object", properties: {} } }],
      example: { messages: [{ role: "user", content: hostile }] },
    },
  });
  await publishEnvironment(server, "@ada/secret", { as, access: "restricted" });
});

const open = (path: string): Promise<Page> => browser(server).open(`/package/${path}`);

test("shows an environment with its example, config, scores, trainers and installation", async () => {
  const { text, heading, status } = await open("@ada/chess/v/1.0.0");
  expect([status, heading]).toEqual([200, "@ada/chess"]);
  for (const part of [
    "Your move.",
    "whole number ≤ 20",
    "envs eval @ada/chess -m policy:random",
    "The reward is the sum of weight × score, from 0 to 1.",
    "envs export trl @ada/chess",
    `@ada:registry=${server.url}/`,
    "npm install @ada/chess@1.0.0",
    "envs install @ada/chess@1.0.0",
    "This is an older version.",
    "the sandbox python",
    "a sub-model: at most 50 calls and 9,000 tokens per rollout",
  ])
    expect(text).toContain(part);
});

test("names the trainers that cannot use a score of groups", async () => {
  const { text } = await open("@ada/chess");
  expect(text).toMatch(/TRL no through ORS The score relative compares the rollouts/);
  expect(text).toContain("envs serve @ada/chess --port 8431 --group-size 8");
});

test("builds the command from the parameters of the address", async () => {
  const { text } = await open("@ada/chess?config.turns=5&model=m");
  expect(text).toContain(`envs eval @ada/chess -m m --config '{"turns":5}'`);
  expect(text).toContain(`${server.url}/package/@ada/chess?config.turns=5&model=m#try`);
});

test("shows what changed between neighbouring versions", async () => {
  const { text } = await open("@ada/chess/versions");
  expect(text).toContain("narrowed option turns maximum 20 → 10");
  expect(text).toContain("added score relative");
  expect(text).toContain("removed score moves");
});

test("compares the files of two versions line by line", async () => {
  const { text, html } = await open("@ada/chess/diff/1.0.0...1.1.0");
  expect(text).toContain("− const size: number = 8;");
  expect(text).toContain("+ const size: number = 10;");
  expect(text).toContain("src/new-file.ts added");
  expect(text).toContain("data.bin removed");
  expect(html).not.toContain("<script>alert");
});

test("compares two versions over the API", async () => {
  const response = await server.request("/api/v1/packages/@ada/chess/compare/1.0.0/latest");
  expect(await response.json()).toMatchObject({
    from: "1.0.0",
    to: "1.1.0",
    manifest: expect.arrayContaining([
      { subject: "option", name: "turns", kind: "narrowed", detail: "maximum 20 → 10" },
    ]),
    files: expect.arrayContaining([expect.objectContaining({ path: "data.bin", kind: "removed" })]),
  });
});

test("lists the packages that depend on a package", async () => {
  expect((await open("@ada/rules/dependents")).text).toContain("1 package of this hub depends");
  const response = await server.request("/api/v1/packages/@ada/rules/dependents");
  expect(await response.json()).toMatchObject({
    total: 1,
    items: [{ name: "@ada/chess", version: "1.1.0", range: "^1.0.0", kind: "dependencies" }],
  });
});

test("shows a file with numbered and coloured lines", async () => {
  const { html, text } = await open("@ada/chess/files/1.0.0/src/board.ts");
  expect(html).toContain('id="L2"');
  expect(html).toContain('<span class="code-keyword">const</span>');
  expect(text).toContain("2 lines");
});

test.each([
  ["page.html", "text/plain; charset=utf-8"],
  ["image.svg", "image/svg+xml"],
  ["data.bin", "application/octet-stream"],
])("serves the bytes of %s as %s in a sandbox", async (path, type) => {
  const { headers, status } = await server.request(`/package/@ada/chess/raw/1.0.0/${path}`);
  expect([status, headers.get("content-type")]).toEqual([200, type]);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';.*sandbox$/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

const tabs = ["", "/versions", "/files/1.1.0", "/dependents", "/security", "/diff/1.0.0...1.1.0"];

test.each(tabs)("escapes hostile texts of the manifest and the files on %s", async (tab) => {
  const { html } = await open(`@ada/chess${tab}`);
  expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<img src=x|<script>alert/);
});

test.each([...tabs, "/v/1.0.0", "/files/1.0.0/envs.manifest.json", "/raw/1.0.0/package.json"])(
  "does not distinguish a private package from a missing one on %s",
  async (tab) => {
    const tabOf = (name: string) => tab.replace("1.1.0", "1.0.0").replace("@", name);
    const [secret, missing] = await Promise.all(
      ["@ada/secret", "@ada/absent"].map((name) => open(`${name}${tabOf(name)}`)),
    );
    const plain = (page: Page | undefined) =>
      page?.html.replaceAll(/@ada\/(?:secret|absent)/g, "NAME").replaceAll(/value="[^"]*"/g, "");
    expect([secret?.status, plain(secret)]).toEqual([404, plain(missing)]);
  },
);

test("shows a private package to a user who may read it, and hides it from search engines", async () => {
  const page = await (await ada.signIn()).open("/package/@ada/secret");
  expect([page.status, page.heading]).toEqual([200, "@ada/secret"]);
  expect(page.text).toContain("private");
  expect(page.html).toContain('<meta name="robots" content="noindex"/>');
});

test("ignores tokens, because responses without a session are cached", async () => {
  const path = "/package/@ada/secret";
  const withToken = await server.request(path, { as: ada });
  expect([withToken.status, (await open("@ada/secret")).status]).toEqual([404, 404]);
});

test("sends anonymous visitors a cached copy, which a change of the package replaces", async () => {
  await publishOrThrow(server, "@ada/copied", { as: ada });
  const first = await server.request("/package/@ada/copied");
  expect(first.headers.get("set-cookie")).toBe(null);
  const etag = first.headers.get("etag") ?? "";
  const again = () =>
    server.request("/package/@ada/copied", { headers: { "if-none-match": etag } });
  expect((await again()).status).toBe(304);
  await publishOrThrow(server, "@ada/copied", { as: ada, version: "1.0.1" });
  const changed = await again();
  expect([changed.status, (await changed.text()).includes("1.0.1")]).toEqual([200, true]);
});

test("does not list a private dependent to anonymous visitors", async () => {
  await publishOrThrow(server, "@ada/hidden", {
    as: ada,
    access: "restricted",
    packageJson: { dependencies: { "@ada/rules": "1.0.0" } },
  });
  expect((await open("@ada/rules/dependents")).text).not.toContain("@ada/hidden");
  const own = await (await ada.signIn()).open("/package/@ada/rules/dependents");
  expect(own.text).toContain("@ada/hidden");
});

test("stars a package and takes the star back", async () => {
  const tab = await ada.signIn();
  await tab.open("/package/@ada/chess");
  expect((await tab.press("Star 0")).text).toContain("Starred 1");
  expect((await tab.press("Starred 1")).text).toContain("Star 0");
});

test("rejects a star of a form that another site made", async () => {
  const tab = await ada.signIn();
  const { status } = await tab.send("/package/@ada/chess/star", { fields: { star: "yes" } });
  expect(status).toBe(403);
});

test("shows warnings about a yanked and deprecated version", async () => {
  await publishOrThrow(server, "@ada/old", { as: ada });
  await publishOrThrow(server, "@ada/old", { as: ada, version: "2.0.0" });
  await server.request("/api/v1/packages/@ada/old/versions/1.0.0/yank", { method: "PUT", as: ada });
  await server.request("/api/v1/packages/@ada/old/advisories", {
    method: "POST",
    as: ada,
    body: { title: "Leaks the answer", severity: "high", vulnerableVersions: "<2.0.0" },
  });
  const { text } = await open("@ada/old/v/1.0.0");
  expect(text).toContain("1.0.0 is yanked");
  expect(text).toMatch(/Advisory, high: Leaks the answer/);
  expect((await open("@ada/old")).text).not.toContain("Leaks the answer");
});

test("shows how to run a model, and the runs that trained it", async () => {
  await publishOrThrow(server, "@ada/model", {
    as: ada,
    packageJson: { keywords: ["llm-environment-model"] },
    files: { "model.safetensors": "" },
  });
  expect((await open("@ada/model")).text).toContain("envs eval <environment> -m tiny:@ada/model");
});

test("lists the environments of a suite", async () => {
  await publishOrThrow(server, "@ada/suite", {
    as: ada,
    files: { "envs.suite.json": "{}" },
    packageJson: {
      dependencies: { "@ada/chess": "1.0.0", "@ada/rules": "1.0.0", "@ada/secret": "1.0.0" },
    },
  });
  const { html, text } = await open("@ada/suite");
  expect(html).toContain('href="/package/@ada/chess/v/1.0.0"');
  expect(text).toContain("envs suite run @ada/suite -m <model>");
  expect(text).not.toMatch(/@ada\/(?:rules|secret)/);
});

test.each([
  "@ada/chess/v/9.9.9",
  "@ada/chess/diff/1.0.0...9.9.9",
  "@ada/chess/diff/1.0.0",
  "@ada/chess/files/1.0.0/absent.ts",
  "@ada/chess/raw/1.0.0/%2e%2e%2fpackage.json",
  "@ada/chess/raw/1.0.0/%00",
])("responds to %s with an error page", async (path) => {
  const { status, headers } = await open(path);
  expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
});
