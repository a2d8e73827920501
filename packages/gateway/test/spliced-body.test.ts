import fc from "fast-check";
import { expect, test } from "vitest";

import { rawFields } from "../../models/src/wire/raw-fields.ts";
import { splicedBody } from "../../models/src/wire/spliced-body.ts";

type Fields = Readonly<Record<string, unknown>>;

const names = fc.constantFrom("model", "messages", "tools", 'a "name"', "t\\", "temperature", "é");
const bodies = fc.dictionary(names, fc.jsonValue({ maxDepth: 4 }));

function read(text: string): Fields {
  return JSON.parse(text) as Fields;
}

function spliced(body: Fields, sent: Fields, text: string): string {
  return Buffer.concat(splicedBody(body, sent, rawFields(Buffer.from(text)))).toString();
}

test("writes the fields of a body, changed or not, as JSON does", () => {
  fc.assert(
    fc.property(bodies, bodies, fc.constantFrom(0, 2), (written, more, indent) => {
      const text = JSON.stringify(written, undefined, indent);
      const sent = read(text);
      const body = { ...sent, ...more };
      expect(read(spliced(body, sent, text))).toEqual(read(JSON.stringify(body)));
    }),
  );
});

test("copies unchanged fields byte by byte, and leaves out removed ones", () => {
  const text = '{"model":"any","n":1.0, "messages":[ "é\\u00e9 ]}\\\\\\"" ],"max_tokens":5}';
  const sent = read(text);
  const { max_tokens: _, ...kept } = sent;
  expect(spliced({ ...kept, model: "real", seed: undefined }, sent, text)).toBe(
    '{"model":"real","n":1.0,"messages":[ "é\\u00e9 ]}\\\\\\"" ]}',
  );
});

test("writes a body again that has a name twice", () => {
  const text = '{"messages":[1],"max_tokens":9,"messages":[2]}';
  const sent = read(text);
  expect(spliced(sent, sent, text)).toBe('{"messages":[2],"max_tokens":9}');
});
