import { expect, test } from "vitest";

import { packageLinks } from "../src/packages/tarball/package-links.ts";

test.each([
  ["envs/chess", "https://github.com/envs/chess"],
  ["github:envs/chess", "https://github.com/envs/chess"],
  ["gitlab:envs/chess", "https://gitlab.com/envs/chess"],
  ["git+https://example.com/envs/chess.git", "https://example.com/envs/chess"],
  ["git+ssh://git@example.com/envs/chess.git", "https://example.com/envs/chess"],
  ["git@example.com:envs/chess.git", "https://example.com/envs/chess"],
  ["git://example.com/envs/chess.git#main", "https://example.com/envs/chess#main"],
  [{ type: "git", url: "https://example.com/envs/chess" }, "https://example.com/envs/chess"],
  ["javascript:alert(1)", null],
  ["constructor:envs/chess", null],
  ["data:text/html,hello", null],
  ["chess", null],
  [{}, null],
  [7, null],
  [`https://example.com/${"x".repeat(1000)}`, null],
])("links the repository %j as %s", (repository, link) => {
  expect(packageLinks({ repository }).repository).toBe(link);
});

test.each([
  ["MIT", "MIT"],
  [{ type: "MIT", url: "https://example.com" }, "MIT"],
  [["MIT"], null],
  [undefined, null],
])("shows the licence %j as %s", (license, text) => {
  expect(packageLinks({ license }).license).toBe(text);
});
