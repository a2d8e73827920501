import { beforeAll, describe, expect, test } from "vitest";

import { parseNpmQuery } from "../src/search/routes.ts";
import { databases } from "./support/hub.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub } from "./support/shared-hub.ts";

interface NpmAnswer {
  readonly objects: readonly { readonly package: { readonly name: string } }[];
  readonly total: number;
}

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  beforeAll(async () => {
    const ada = await server.createUser("ada");
    const grace = await server.createUser("grace");
    await seedEnvironment(server.hub, ada, {
      bare: "tictactoe",
      manifest: { description: "Three in a row.", tags: ["game"] },
      packageJson: {
        keywords: ["llm-environment", "game"],
        license: "MIT",
        homepage: "javascript:alert(1)",
        repository: { type: "git", url: "git+ssh://git@example.com/envs/envs.git" },
        bugs: "https://example.com/bugs",
      },
    });
    const chess = await seedEnvironment(server.hub, grace, {
      bare: "chess",
      versions: ["0.1.0"],
      manifest: null,
    });
    // A package without a publisher and maintainers.
    await server.hub.database
      .updateTable("versions")
      .set({ published_by: null })
      .where("package_id", "=", chess.id)
      .execute();
    await server.hub.database
      .deleteFrom("package_users")
      .where("package_id", "=", chess.id)
      .execute();
  });

  const search = async (query: string): Promise<NpmAnswer> => {
    const response = await server.request(`/-/v1/search?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as NpmAnswer;
  };
  const names = async (text: string): Promise<readonly string[]> =>
    (await search(`text=${encodeURIComponent(text)}`)).objects.map((result) => result.package.name);

  test("a result has the fields that npm, pnpm and Yarn print", async () => {
    expect(await search("text=tictactoe&size=20")).toEqual({
      objects: [
        {
          package: {
            name: "@ada/tictactoe",
            scope: "ada",
            version: "1.0.0",
            description: "Three in a row.",
            keywords: ["llm-environment", "game"],
            date: expect.stringMatching(/^\d{4}-.*Z$/),
            license: "MIT",
            links: {
              npm: `${server.url}/@ada/tictactoe`,
              repository: "https://example.com/envs/envs",
              bugs: "https://example.com/bugs",
            },
            publisher: { username: "ada", email: "ada@example.com" },
            maintainers: [{ username: "ada", email: "ada@example.com" }],
          },
          score: { final: 1, detail: { quality: 1, popularity: 0, maintenance: 1 } },
          searchScore: 1,
          flags: {},
        },
      ],
      total: 1,
      time: expect.any(String),
    });
  });

  test("a result without a publisher shows the package's owner", async () => {
    expect(await search("text=chess")).toMatchObject({
      objects: [
        {
          package: { publisher: { username: "grace" }, maintainers: [] },
          flags: { unstable: true },
        },
      ],
    });
  });

  test("npm's qualifiers filter the results", async () => {
    expect(await names("scope:ada")).toEqual(["@ada/tictactoe"]);
    expect(await names("scope:@grace")).toEqual(["@grace/chess"]);
    expect(await names("maintainer:ada")).toEqual(["@ada/tictactoe"]);
    expect(await names("author:grace")).toEqual([]);
    expect(await names("keywords:game,cards")).toEqual(["@ada/tictactoe"]);
    expect(await names("not:unstable")).toEqual(["@ada/tictactoe"]);
    expect(await names("is:unstable")).toEqual(["@grace/chess"]);
    expect(await names("not:environment chess")).toEqual(["@grace/chess"]);
    expect(await names("row not:environment")).toEqual([]);
  });

  test.each([
    ["size=1&from=1", 1],
    ["size=0", 0],
    ["size=-5", 0],
    ["size=9999", 2],
    ["size=many&from=few", 2],
    ["from=99999999", 0],
    ["text=a&text=b", 2],
    ["quality=0.65&popularity=0.98&maintenance=0.5", 2],
  ])("accepts the query %s", async (query, count) => {
    expect((await search(`text=&${query}`)).objects).toHaveLength(count);
  });

  test("rejects a search without text", async () => {
    const response = await server.request("/-/v1/search?size=20");
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: "invalid-request", error: expect.stringContaining("text") },
    ]);
  });
});

test("npmQuery separates words and qualifiers", () => {
  expect(
    parseNpmQuery("tic is:environment scope:envs,ada keywords:game constructor:a is:nothing :"),
  ).toEqual({
    text: "tic constructor:a is:nothing :",
    traits: { environment: true },
    scopes: ["envs", "ada"],
    keywords: ["game"],
  });
});
