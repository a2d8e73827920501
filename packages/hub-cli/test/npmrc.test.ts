import fc from "fast-check";
import { parse } from "ini";
import { expect, test } from "vitest";

import {
  expand,
  npmrcSettings,
  withLines,
  withoutSetting,
  withSetting,
} from "../src/config/npmrc.ts";

const key = "//localhost:4873/:_authToken";

/** Lines of all kinds that people have in such a file. */
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

const isOurs = (text: string): boolean => Object.hasOwn(parse(text), key);
const linesOf = (text: string): string[] => text.split(/\r\n|[\r\n]/);
const others = (text: string): string[] =>
  linesOf(text).filter((each) => each !== "" && !isOurs(each));

test("a setting is what it was set to, and every other line is as it was", () => {
  fc.assert(
    fc.property(file, value, (before, token) => {
      const after = withSetting(before, key, token);
      expect(npmrcSettings(after, {}).get(key)).toBe(token);
      expect(others(after)).toEqual(others(before));
    }),
  );
});

test("setting the same again changes nothing", () => {
  fc.assert(
    fc.property(file, value, (before, token) => {
      const once = withSetting(before, key, token);
      expect(withSetting(once, key, token)).toBe(once);
    }),
  );
});

test("a setting that is taken out again leaves every line that was there", () => {
  fc.assert(
    fc.property(file, value, (before, token) => {
      fc.pre(!linesOf(before).some(isOurs));
      const after = withoutSetting(withSetting(before, key, token), key);
      expect(linesOf(after).filter(Boolean)).toEqual(linesOf(before).filter(Boolean));
    }),
  );
});

test("further lines come to an end once", () => {
  const added = ["min-release-age-exclude[]=@envs/core"];
  fc.assert(
    fc.property(file, (before) => {
      const after = withLines(before, added);
      expect(parse(after)["min-release-age-exclude"]).toEqual(["@envs/core"]);
      expect(withLines(after, added)).toBe(after);
    }),
  );
});

test("a setting comes before a section, which npm takes for something else", () => {
  expect(withSetting("a=1\n[other]\nb=2\n", key, "t")).toBe(`a=1\n${key}=t\n[other]\nb=2\n`);
});

test("of several lines of a setting one is left", () => {
  expect(withSetting(`${key}=a\nx=1\n"${key}" = b`, key, "c")).toBe(`${key}=c\nx=1\n`);
});

test("variables are filled in as npm does it", () => {
  const variables = { TOKEN: "secret", EMPTY: "" };
  expect(expand("${TOKEN}", variables)).toBe("secret");
  expect(expand("a${TOKEN}b${EMPTY}c", variables)).toBe("asecretbc");
  expect(expand("${UNKNOWN}", variables)).toBe("${UNKNOWN}");
  expect(expand("${UNKNOWN?}", variables)).toBe("");
  expect(expand(String.raw`\${TOKEN}`, variables)).toBe("${TOKEN}");
  expect(
    npmrcSettings("//${HOST}/:_authToken=${TOKEN}", { ...variables, HOST: "x.example" }),
  ).toEqual(new Map([["//x.example/:_authToken", "secret"]]));
});
