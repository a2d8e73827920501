import fc from "fast-check";
import { parse } from "ini";
import { expect, test } from "vitest";

import {
  expandVariables,
  parseNpmrc,
  withLines,
  withoutSetting,
  withSetting,
} from "../src/config/npmrc.ts";

const key = "//localhost:4873/:_authToken";

/** Lines of every kind that an .npmrc may contain. */
const line = fc.oneof(
  fc.constantFrom(
    "",
    "  ",
    "; a comment",
    "# //localhost:4873/:_authToken=commented",
    "registry = https://packages.example.com/",
    "//localhost:4873/:username=ada",
    "//localhost:48733/:_authToken=another",
    "//example.com/:_authToken=${TOKEN}",
    "always-auth",
    "ca[]=one",
    "ca[]=two",
    "@envs:registry=http://localhost:4873/",
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n[\]]/g, "")),
);
const ending = fc.constantFrom("\n", "\r\n");
const file = fc
  .tuple(fc.array(line, { maxLength: 8 }), ending, fc.boolean(), fc.constantFrom("", "[section]"))
  .map(([lines, end, isClosed, section]) => {
    const all = section === "" ? lines : [...lines, section, "inner=1"];
    return `${all.join(end)}${isClosed && all.length > 0 ? end : ""}`;
  });
const value = fc.stringMatching(/^[A-Za-z0-9_:/.-]{1,40}$/);

const setsKey = (text: string): boolean => Object.hasOwn(parse(text), key);
const linesOf = (text: string): string[] => text.split(/\r\n|[\r\n]/);
const otherLines = (text: string): string[] =>
  linesOf(text).filter((text) => text !== "" && !setsKey(text));

test("withSetting sets the key and keeps every other line", () => {
  fc.assert(
    fc.property(file, value, (before, token) => {
      const after = withSetting(before, key, token);
      expect(parseNpmrc(after, {}).get(key)).toBe(token);
      expect(otherLines(after)).toEqual(otherLines(before));
    }),
  );
});

test("withSetting changes nothing when the value is the same", () => {
  fc.assert(
    fc.property(file, value, (before, token) => {
      const once = withSetting(before, key, token);
      expect(withSetting(once, key, token)).toBe(once);
    }),
  );
});

test("withoutSetting reverts withSetting", () => {
  fc.assert(
    fc.property(file, value, (before, token) => {
      fc.pre(!linesOf(before).some(setsKey));
      const after = withoutSetting(withSetting(before, key, token), key);
      expect(linesOf(after).filter(Boolean)).toEqual(linesOf(before).filter(Boolean));
    }),
  );
});

test("withLines adds a line once", () => {
  const added = ["min-release-age-exclude[]=@envs/core"];
  fc.assert(
    fc.property(file, (before) => {
      const after = withLines(before, added);
      expect(parse(after)["min-release-age-exclude"]).toEqual(["@envs/core"]);
      expect(withLines(after, added)).toBe(after);
    }),
  );
});

test("withSetting adds the line before the first section, whose lines npm ignores", () => {
  expect(withSetting("a=1\n[other]\nb=2\n", key, "t")).toBe(`a=1\n${key}=t\n[other]\nb=2\n`);
});

test("withSetting replaces several lines of a key by one", () => {
  expect(withSetting(`${key}=a\nx=1\n"${key}" = b`, key, "c")).toBe(`${key}=c\nx=1\n`);
});

test("expandVariables expands variables as npm does", () => {
  const variables = { TOKEN: "secret", EMPTY: "" };
  expect(expandVariables("${TOKEN}", variables)).toBe("secret");
  expect(expandVariables("a${TOKEN}b${EMPTY}c", variables)).toBe("asecretbc");
  expect(expandVariables("${UNKNOWN}", variables)).toBe("${UNKNOWN}");
  expect(expandVariables("${UNKNOWN?}", variables)).toBe("");
  expect(expandVariables(String.raw`\${TOKEN}`, variables)).toBe("${TOKEN}");
  expect(parseNpmrc("//${HOST}/:_authToken=${TOKEN}", { ...variables, HOST: "x.example" })).toEqual(
    new Map([["//x.example/:_authToken", "secret"]]),
  );
});
