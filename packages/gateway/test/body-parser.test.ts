import fc from "fast-check";
import { expect, test } from "vitest";

import { BodyParser } from "../src/body-parser.ts";

const item = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.string() }),
  fc.jsonValue({ maxDepth: 2 }),
);
const field = fc.constantFrom("messages", "input", "tools");
/** The change of a request to the next one. */
const change = fc.record({
  name: field,
  kept: fc.nat({ max: 6 }),
  added: fc.array(item, { maxLength: 3 }),
  indent: fc.constantFrom(0, 0, 0, 2),
  damage: fc.constantFrom("", "", "", "cut", "comma", "twice", "text"),
});

function damaged(text: string, name: string, damage: string): string {
  if (damage === "cut") return text.slice(0, -2);
  if (damage === "comma") return text.replace(/\](?=\s*\}$)/u, ",]");
  if (damage === "twice") return `${text.slice(0, -1)},${JSON.stringify(name)}:[0]}`;
  return damage === "text" ? `${text}1` : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return "not JSON";
  }
}

test("reads the bodies of a conversation as JSON.parse does, valid or not", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const parser = new BodyParser();
      const lists: Record<string, unknown[]> = {};
      for (const { name, kept, added, indent, damage } of changes) {
        lists[name] = [...(lists[name] ?? []).slice(0, kept), ...added];
        const body = { model: "é", ...lists, last: lists[name] };
        const text = damaged(JSON.stringify(body, undefined, indent), name, damage);
        const read = (): unknown => parser.parse(Buffer.from(text)).json;
        if (parsed(text) === "not JSON") expect(read).toThrow("The request's body is not JSON.");
        else expect(read()).toEqual(parsed(text));
      }
    }),
    { numRuns: 300 },
  );
});

test.for(["null", "1", '""', "[1,2]", "{}"])("reads a body without fields: %s", (text) => {
  expect(new BodyParser().parse(Buffer.from(text)).json).toEqual(JSON.parse(text));
});

test("keeps the messages that a request repeats", () => {
  const parser = new BodyParser();
  const ask = (...texts: readonly string[]): readonly object[] => {
    const messages = texts.map((content) => ({ role: "user", content }));
    const { json } = parser.parse(Buffer.from(JSON.stringify({ model: "any", messages })));
    return (json as { readonly messages: readonly object[] }).messages;
  };
  const first = ask("one", "two");
  const second = ask("one", "three", "four");

  expect(second[0]).toBe(first[0]);
  expect(second[1]).not.toBe(first[1]);
  expect(ask("one", "three", "five").slice(0, 2)).toEqual(second.slice(0, 2));
  expect(ask("one", "three", "four", "six")[1]).toBe(second[1]);
});
