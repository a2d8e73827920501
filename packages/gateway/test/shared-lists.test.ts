import fc from "fast-check";
import { expect, test } from "vitest";

import { SharedLists } from "../src/dialects/shared-lists.ts";
import { clients } from "./support/clients.ts";
import { testSession } from "./support/session.ts";

test.each(clients)(
  "$name: reuses the messages and tools of the call that it continues",
  async (client) => {
    await using gateway = await testSession(["Paris."]);
    const tools = [{ name: "weather", description: "Report the weather of a city." }];
    const first = { system: "Be brief.", tools, steps: [{ user: "Capital of France?" }] };
    const steps = [...first.steps, { reply: "Paris." }, { user: "And of Italy?" }];
    await client.ask(gateway.session, first, { stream: false });
    await client.ask(gateway.session, { ...first, steps }, { stream: false });
    const [before, after] = gateway.session.calls;
    expect(after!.messages.map(({ content }) => content)).toEqual([
      "Be brief.",
      "Capital of France?",
      "Paris.",
      "And of Italy?",
    ]);
    expect(after!.messages[0]).toBe(before!.messages[0]);
    expect(after!.messages[1]).toBe(before!.messages[1]);
    expect(after!.tools).toBe(before!.tools);
  },
);

test("keeps the JSON text of lists, and shares equal beginnings", () => {
  const item = fc.oneof(
    fc.jsonValue(),
    fc.record({ role: fc.constantFrom("a", "b"), content: fc.string({ maxLength: 1 }) }),
  );
  const copy = (list: readonly unknown[]): unknown[] => list.map((each) => structuredClone(each));
  fc.assert(
    fc.property(fc.array(fc.array(item, { maxLength: 4 }), { maxLength: 6 }), (lists) => {
      const shared = new SharedLists<unknown>();
      for (const list of lists) {
        const own = shared.share(list);
        expect(JSON.stringify(own)).toBe(JSON.stringify(list));
        const again = shared.share(copy(list));
        again.forEach((each, index) => expect(each).toBe(own[index]));
      }
    }),
  );
});

test("distinguishes the order of fields, and arrays from objects", () => {
  const shared = new SharedLists<unknown>();
  for (const each of [{ a: 1, b: 2 }, { b: 2, a: 1 }, [1], { 0: 1 }, null, {}, []])
    expect(shared.share([each])[0]).toBe(each);
});
