import { readdirSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { distTag } from "../src/platform/names/dist-tag.ts";
import { isDependencyName, packageName } from "../src/platform/names/package-name.ts";
import { packageVersion } from "../src/platform/names/package-version.ts";
import { similarityKeys, tooSimilar } from "../src/platform/names/similarity.ts";
import { resultOrError, errorCodeOf } from "./support/errors.ts";

describe("a package's name", () => {
  test("has an optional scope and a bare name", () => {
    expect(packageName("@envs/tictactoe")).toEqual({
      name: "@envs/tictactoe",
      scope: "envs",
      bare: "tictactoe",
    });
    expect(packageName("tic-tac_toe.2")).toEqual({ name: "tic-tac_toe.2", bare: "tic-tac_toe.2" });
  });

  test.each([
    "",
    " chess",
    "Chess",
    "chess!",
    "chéss",
    "@envs",
    "@envs/",
    "@/chess",
    "envs/chess",
    "@envs/chess/board",
    "../chess",
    "@../chess",
    "@envs/..",
    "@envs/-",
    "@envs/_chess",
    "@-envs/chess",
    "~chess",
    "__proto__",
    "node_modules",
    "@envs/node_modules",
    "favicon.ico",
    "http",
    "con",
    "@envs/aux",
    "nul.js",
    "chess.",
    "@envs./chess",
    "chess.tgz",
    "settings",
    "metrics",
    "che\u{0}ss",
    "half of a pair: \ud800",
    "a".repeat(215),
    `@envs/${"a".repeat(209)}`,
  ])("cannot be %j", async (name) => {
    expect(await errorCodeOf(() => packageName(name))).toBe("name-invalid");
  });

  test("is quoted in the error up to a limited length", () => {
    expect(() => packageName("@envs/Chess")).toThrowErrorMatchingInlineSnapshot(
      `[HubError: "@envs/Chess" cannot be a package's name: name can no longer contain capital letters. Choose lower-case letters, digits, dots, hyphens and underscores, such as @scope/name.]`,
    );
    expect(() => packageName("A".repeat(100_000))).toThrow(/^.{0,500}$/);
  });

  test("may follow older rules in a dependency", () => {
    expect(isDependencyName("JSONStream")).toBe(true);
    expect(isDependencyName("@envs/chess")).toBe(true);
    expect(isDependencyName("../chess")).toBe(false);
    expect(isDependencyName("__proto__")).toBe(false);
    expect(isDependencyName("a".repeat(215))).toBe(false);
  });
});

describe("a version", () => {
  test.each(["0.0.0", "1.2.3", "1.2.3-beta.1", "1.0.0-0", "1.0.0--"])("can be %s", (version) => {
    expect(packageVersion(version)).toBe(version);
  });

  test.each([
    "",
    "1",
    "1.2",
    "v1.2.3",
    "=1.2.3",
    " 1.2.3",
    "1.2.3 ",
    "01.2.3",
    "1.2.3-01",
    "1.2.3+build.5",
    "1.2.3-beta.1+5",
    "1.2.3beta",
    "latest",
    "99999999999999999999.0.0",
    `1.0.0-${"a".repeat(300)}`,
  ])("cannot be %j", async (version) => {
    expect(await errorCodeOf(() => packageVersion(version))).toBe("version-invalid");
  });
});

describe("a dist-tag", () => {
  test.each(["latest", "beta", "next-11", "release_2.x"])("can be %s", (tag) => {
    expect(distTag(tag)).toBe(tag);
  });

  test.each([
    "",
    "1.2.3",
    "v1",
    "x",
    "*",
    "^1",
    "1.x",
    "-x",
    "__proto__",
    "a/b",
    "a b",
    "beta.tgz",
  ])("cannot be %j", async (tag) => {
    expect(await errorCodeOf(() => distTag(tag))).toBe("tag-invalid");
  });
});

test("names, versions and tags accept or reject any text without an internal error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      for (const rule of [packageName, packageVersion, distTag])
        expect(await resultOrError(() => rule(text))).toBeDefined();
      expect(isDependencyName(text)).toBeTypeOf("boolean");
    }),
  );
});

describe("a name like another", () => {
  test.each([
    ["tictactoe", "tic-tac-toe"],
    ["tic_tac.toe", "tic-tac-toe"],
    ["tictact0e", "tictactoe"],
    ["t1ctactoe", "tictactoe"],
    ["rnaze-runner", "maze-runner"],
    ["maze", "mazes"],
    ["box", "boxes"],
    ["city", "cities"],
    ["tictacto", "tictactoe"],
    ["tictactoee", "tictactoe"],
    ["tictcatoe", "tictactoe"],
    ["tixtactoe", "tictactoe"],
    ["envs-chess", "@envs/chess"],
    ["@env/chess", "@envs/chess"],
  ])("%s and %s are too similar, in both orders", (one, other) => {
    expect(tooSimilar(one, ["unrelated", other])).toBe(other);
    expect(tooSimilar(other, ["unrelated", one])).toBe(one);
  });

  test.each([
    ["chess", "chess"],
    ["chess", "tictactoe"],
    ["go", "do"],
    ["maze", "made"],
    ["@ada/chess", "@grace/chess"],
    ["double-check", "double-chess-check"],
  ])("%s and %s are different names or the same name", (one, other) => {
    expect(tooSimilar(one, [other])).toBeUndefined();
  });

  test.each([
    ["openmaze-official", "openmaze"],
    ["openmazeofficial", "openmaze"],
    ["real_openmaze", "openmaze"],
    ["0penmaze.support", "openmaze"],
    ["the-openmaze-team", "openmaze"],
  ])("%s claims to be the owner of %s", (one, other) => {
    expect(tooSimilar(one, ["unrelated", other])).toBe(other);
    expect(tooSimilar(other, [one])).toBeUndefined();
  });

  test("does not include the names of this repository's environments", () => {
    const names = readdirSync(new URL("../../environments/", import.meta.url));
    expect(names.length).toBeGreaterThan(10);
    for (const each of names) expect([each, tooSimilar(each, names)]).toEqual([each, undefined]);
  });

  const name = fc.stringMatching(/^[a-z0-9._-]{1,12}$/);
  /** Random names are rarely similar, so this generates a name and a copy with at most one edit. */
  const pair = fc
    .tuple(name, fc.nat(), fc.constantFrom("", "a", "0", "-", "s"), fc.nat(2))
    .map(([one, position, letter, removed]) => {
      const at = position % (one.length + 1);
      return [one, one.slice(0, at) + letter + one.slice(at + removed)] as const;
    });

  test("shares a similarity key with it", () => {
    fc.assert(
      fc.property(fc.oneof(pair, fc.tuple(name, name)), ([one, other]) => {
        fc.pre(tooSimilar(one, [other]) !== undefined);
        const keys = new Set(similarityKeys(other));
        expect(similarityKeys(one).some((key) => keys.has(key))).toBe(true);
      }),
    );
  });

  test("has about one key per letter", () => {
    expect(similarityKeys("tictactoe").length).toBeLessThanOrEqual(11);
  });
});
