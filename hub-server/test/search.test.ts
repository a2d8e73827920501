import { hubClient, type SearchResults } from "@envs/hub-client";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { change } from "../src/platform/hub/hub.ts";
import { databases, testHub, type TestUser } from "./support/hub.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { seedRun } from "./support/seed-run.ts";
import { sharedHub } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let ada: TestUser;
  let grace: TestUser;
  beforeAll(async () => {
    [ada, grace] = [await server.createUser("ada"), await server.createUser("grace")];
    const game = await seedEnvironment(server.hub, ada, {
      bare: "tictactoe",
      packageJson: { license: "MIT" },
      readme: "# Tic-tac-toe\n\nPlay X against a minimax opponent.",
      manifest: {
        description: "Get three in a row before the opponent does.",
        tags: ["game", "board"],
        kind: "multi-turn",
        scores: [{ name: "win", weight: 1, isGroup: false }],
      },
    });
    await seedRun(server.hub, game, { kind: "evaluation", owner: grace.id });
    await seedRun(server.hub, game, { kind: "training", owner: grace.id });
    await seedEnvironment(server.hub, grace, {
      bare: "wikiSearch-tool".toLowerCase(),
      manifest: {
        title: "WikiSearch",
        description: "Answer questions with an offline corpus.",
        tags: ["retrieval", "game"],
        kind: "tools",
        bundle: { path: "envs.bundle.js", size: 1, sha256: "0".repeat(64), callsModels: true },
        tools: [{ name: "openPage", description: "Open a page", input: { type: "object" } }],
        scores: [{ name: "correct", weight: 1, isGroup: false }],
        requires: [{ kind: "sandbox", name: "python" }],
        subModel: { maxCalls: 50 },
      },
    });
    await seedEnvironment(server.hub, grace, {
      bare: "parse-args",
      manifest: null,
      packageJson: { description: "Parses arguments.", keywords: ["cli", "double"] },
    });
    await seedEnvironment(server.hub, ada, {
      bare: "unannounced",
      access: "restricted",
      manifest: { description: "A secret about the platypus." },
    });
  });

  const find = (
    input?: Parameters<ReturnType<typeof hubClient>["findPackages"]>[0],
    as?: TestUser,
  ): Promise<SearchResults> =>
    hubClient({ url: server.url, ...(as && { token: as.token }) }).findPackages(input);
  const names = async (...args: Parameters<typeof find>): Promise<readonly string[]> =>
    (await find(...args)).items.map(({ name }) => name);

  const tictactoe = "@ada/tictactoe";
  const wiki = "@grace/wikisearch-tool";

  test.each([
    ["its name", "tictactoe", tictactoe],
    ["its whole name", "@ada/tictactoe", tictactoe],
    ["its owner", "ada", tictactoe],
    ["the beginning of its name", "tict", tictactoe],
    ["its name in parts", "tic tac toe", tictactoe],
    ["a word of its README", "minimax", tictactoe],
    ["another form of a word of its description", "rows", tictactoe],
    ["its tag", "board", tictactoe],
    ["its score", "win", tictactoe],
    ["words of several fields", "minimax three board", tictactoe],
    ["a part of a name in camel case", "wiki", wiki],
    ["a name in camel case", "wikiSearch", wiki],
    ["a name with its dashes", "wikisearch-tool", wiki],
    ["its tool", "openpage", wiki],
    ["half of its tool", "page", wiki],
    ["a word with a superfluous accent", "retriéval", wiki],
    ["a keyword", "cli", "@grace/parse-args"],
  ])("finds a package by %s", async (_, q, name) => {
    expect(await names({ q })).toEqual([name]);
  });

  test.each([
    ["tictactow", tictactoe],
    ["tictatoe", tictactoe],
    ["tiktactoe", tictactoe],
    ["tiktaktoe", tictactoe],
    ["tictactow minimax", tictactoe],
    ["baord", tictactoe],
    ["wki", wiki],
    ["wikki", wiki],
    ["retreival", wiki],
    ["dubble", "@grace/parse-args"],
  ])("finds similar words for a misspelled one: %s", async (q, name) => {
    const { items, isApproximate } = await find({ q });
    expect(items.map((item) => item.name)).toEqual([name]);
    expect(isApproximate).toBe(true);
  });

  test("does not mark exact matches and empty results as approximate", async () => {
    expect(await find({ q: "tictactoe" })).toMatchObject({ isApproximate: false, total: 1 });
    expect(await find({ q: "xylophone" })).toMatchObject({ isApproximate: false, items: [] });
  });

  test("lists everything without words and applies filters", async () => {
    expect([...(await names())].sort()).toEqual([tictactoe, "@grace/parse-args", wiki]);
    expect(await names({ tag: "game", sort: "name" })).toEqual([tictactoe, wiki]);
    expect(await names({ tag: ["game", "board"] })).toEqual([tictactoe]);
    expect(await names({ kind: ["tools", "single-turn"] })).toEqual([wiki]);
    expect(await names({ tool: "openPage" })).toEqual([wiki]);
    expect(await names({ score: "win" })).toEqual([tictactoe]);
    expect(await names({ need: ["judge", "sandbox", "sub-model"] })).toEqual([wiki]);
    expect(await names({ protocol: ["openenv", "harbor"] })).toEqual([tictactoe]);
    expect(await names({ license: "MIT" })).toEqual([tictactoe]);
    expect(await names({ evaluated: "true" })).toEqual([tictactoe]);
    expect(await names({ owner: "grace", sort: "name" })).toEqual(["@grace/parse-args", wiki]);
    const hub = hubClient({ url: server.url });
    const { items } = await hub.findEnvironments({ sort: "name" });
    expect(items.map(({ name }) => name)).toEqual([tictactoe, wiki]);
  });

  test("sorts by the number of training runs", async () => {
    const { items } = await find({ sort: "trainings" });
    expect(items[0]).toMatchObject({ name: tictactoe, trainings: 1, evaluations: 1 });
  });

  test("counts facets over all results", async () => {
    const { facets } = await find({});
    expect(facets).toEqual({
      kinds: [
        { value: "multi-turn", count: 1 },
        { value: "tools", count: 1 },
      ],
      tags: [
        { value: "game", count: 2 },
        { value: "board", count: 1 },
        { value: "retrieval", count: 1 },
      ],
      tools: [{ value: "openPage", count: 1 }],
      needs: [
        { value: "judge", count: 1 },
        { value: "sandbox", count: 1 },
        { value: "sub-model", count: 1 },
      ],
      protocols: [
        { value: "nemo-gym", count: 2 },
        { value: "ors", count: 2 },
        { value: "openenv", count: 1 },
      ],
      licenses: [{ value: "MIT", count: 1 }],
      owners: [
        { value: "grace", count: 2 },
        { value: "ada", count: 1 },
      ],
      evaluated: 1,
    });
  });

  test("finds a private package only for its readers, also misspelled", async () => {
    for (const q of ["unannounced", "platypus", "unanounced"]) {
      expect(await names({ q }), q).toEqual([]);
      expect(await names({ q }, grace), q).toEqual([]);
    }
    expect(await names({ q: "platypus" }, ada)).toEqual(["@ada/unannounced"]);
    expect((await find({}, ada)).total).toBe((await find({})).total + 1);
  });

  test("pages contain each package once", async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => find({ page, perPage: 1, sort: "name" })),
    );
    expect(pages.map(({ items }) => items.map(({ name }) => name))).toEqual([
      [tictactoe],
      ["@grace/parse-args"],
      [wiki],
      [],
    ]);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
  });

  test("accepts any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 200 }),
          fc
            .array(
              fc.constantFrom("'", "\\", ":*", "&", "|", "!", "(", ")", "<->", "a", "the", " "),
            )
            .map((parts) => parts.join("")),
        ),
        async (text) => {
          const encoded = encodeURIComponent(text.toWellFormed());
          for (const path of [`/api/v1/packages?q=${encoded}`, `/-/v1/search?text=${encoded}`])
            expect((await server.request(path)).status, text).toBe(200);
        },
      ),
      { numRuns: 10 },
    );
  });

  test("explains an invalid request", async () => {
    for (const [query, reason] of [
      ["q=" + "x".repeat(201), "q"],
      ["page=0", "page"],
      ["perPage=101", "perPage"],
      ["sort=size", "sort"],
      ["tags=game", "tags"],
      ["tag=a%00b", "tag"],
    ] as const) {
      const response = await server.request(`/api/v1/packages?${query}`);
      expect(response.status, query).toBe(400);
      expect(await response.json()).toMatchObject({
        code: "invalid-request",
        message: expect.stringContaining(reason),
      });
    }
  });
});

describe.each(databases)("the ranking on the %s database", (kind) => {
  test("ranks by name, tag, description and README, with archived packages last", async () => {
    await using server = await testHub(kind);
    const ada = await server.createUser("ada");
    const { hub } = server;
    await seedEnvironment(hub, ada, { bare: "a-read", readme: "About sudoku." });
    await seedEnvironment(hub, ada, {
      bare: "b-described",
      manifest: { description: "Like sudoku." },
    });
    await seedEnvironment(hub, ada, { bare: "c-tagged", manifest: { tags: ["sudoku"] } });
    await seedEnvironment(hub, ada, { bare: "d-sudoku-hard" });
    await seedEnvironment(hub, ada, { bare: "sudoku" });
    const old = await seedEnvironment(hub, ada, {
      bare: "z-sudoku",
      manifest: { tags: ["sudoku"] },
    });
    await hub.database
      .updateTable("packages")
      .set({ archived_at: hub.clock() })
      .where("id", "=", old.id)
      .execute();
    await change(hub, async ({ touch }) => touch(old));
    const search = hubClient({ url: server.url });
    const names = async (input: { q?: string; sort?: "downloads" | "stars" | "recent" | "name" }) =>
      (await search.findPackages(input)).items.map(({ name }) => name.replace("@ada/", ""));
    expect(await names({ q: "sudoku" })).toEqual([
      "sudoku",
      "d-sudoku-hard",
      "c-tagged",
      "b-described",
      "a-read",
      "z-sudoku",
    ]);

    const counters = { downloads: 10, stars: 0 };
    const counts = {
      "b-described": counters,
      "z-sudoku": { downloads: 90, stars: 9 },
      "c-tagged": { downloads: 1, stars: 5 },
    };
    for (const [bare, count] of Object.entries(counts))
      await hub.database
        .updateTable("search_entries")
        .set(count)
        .where("name", "=", `@ada/${bare}`)
        .execute();
    expect((await names({ q: "sudoku", sort: "downloads" })).slice(0, 3)).toEqual([
      "b-described",
      "c-tagged",
      "a-read",
    ]);
    expect((await names({ sort: "stars" })).slice(0, 2)).toEqual(["c-tagged", "b-described"]);
    expect(await names({ sort: "recent" })).toEqual([
      "z-sudoku",
      "sudoku",
      "d-sudoku-hard",
      "c-tagged",
      "b-described",
      "a-read",
    ]);
    expect((await names({ sort: "name" })).at(-1)).toBe("z-sudoku");
  });

  test("a cached search includes later publishes", async () => {
    await using server = await testHub(kind);
    const ada = await server.createUser("ada");
    const total = async (path: string): Promise<number> =>
      ((await (await server.request(path)).json()) as { total: number }).total;
    const paths = ["/-/v1/search?text=chess", "/api/v1/packages?q=chess"];
    for (const count of [0, 1, 2]) {
      expect(await Promise.all(paths.map(total))).toEqual([count, count]);
      await seedEnvironment(server.hub, ada, { bare: `chess-${count}` });
    }
  });
});
