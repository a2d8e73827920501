import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { byPolicy, countingModel, nim, typing } from "./table.ts";

/** What of a screen is a board or a move, without the rest. */
const lastOf = (seen: string, pattern: RegExp) => seen.match(new RegExp(pattern, "g"))?.at(-1);

describe("against a model", () => {
  test("the person sees its reply, is asked, and sees how it ends", async () => {
    const { seen, code } = await typing(["3", "3", "3", "3", "3", "n"], { model: countingModel() });
    expect(code).toBe(0);
    expect(seen).toContain("rival turn 1");
    expect(seen).toContain("  take  2");
    expect(seen).toContain("you\n  13 left.\n› 3");
    expect(seen).toMatch(/rival is told\n {2}You (win|took the last)\./);
    expect(seen).toMatch(/the end \d+ turns?\n {2}reward [01] {2}win [01]/);
    expect(seen).toContain("Play again? [Y/n] n");
  });

  test("an answer that does not count is explained and asked for again", async () => {
    const { seen } = await typing(["all", "2", "/quit"], { model: countingModel() });
    expect(seen).toContain("› all\n  Take 1, 2 or 3.\n› 2\n");
  });

  test("/back takes the person's last answer back; the model is not asked again for what it said", async () => {
    const model = countingModel();
    const { seen } = await typing(["1", "/back", "3", "/quit"], { model });
    expect(seen.match(/13 left\./g)).toHaveLength(2);
    expect(seen.match(/rival turn 1/g)).toHaveLength(2);
    // 13 − 3 − the third answer of the model: the second was given to what was taken back.
    expect(model.asked).toBe(3);
    expect(seen).toContain(`\n  ${13 - 3 - 1} left.`);
  });

  test("a refused answer is not one that can be taken back", async () => {
    const { seen } = await typing(["9", "/back", "x", "/back", "/quit"], {
      model: countingModel(),
    });
    expect(seen.match(/There is nothing to take back yet\./g)).toHaveLength(2);
  });

  test("going back and forth leads where going straight leads", async () => {
    const environment = nim({ most: 60 });
    const move = fc.constantFrom("1", "2", "3");
    const detour = fc.array(fc.oneof(move, fc.constant("/back")), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(detour, async (typed) => {
        const straight: string[] = [];
        for (const line of typed)
          if (line === "/back") straight.pop();
          else straight.push(line);
        const show = async (lines: readonly string[]) => {
          const { seen } = await typing([...lines, "/show", "/quit"], {
            environment,
            model: byPolicy,
          });
          return seen.slice(seen.lastIndexOf("/show"));
        };
        expect(await show(typed)).toBe(await show(straight));
      }),
      { numRuns: 60 },
    );
  });

  test("after the end, the last answer can be taken back too", async () => {
    const straight = await typing(["1", "1", "1", "1", "1", "1"], { model: byPolicy });
    const question = lastOf(straight.seen, /you\n.*left\./);
    const moves = straight.seen.match(/^› 1$/gm)!.length;
    const typed = Array.from({ length: moves }, () => "1");
    const { seen } = await typing([...typed, "/back", "/quit"], { model: byPolicy });
    expect(seen).toContain("Play again? [Y/n] /back");
    expect(lastOf(seen, /you\n.*left\./)).toBe(question);
  });

  test("/restart begins the example anew, /next goes to another", async () => {
    const { seen } = await typing(["1", "/restart", "/next", "/show", "/quit"], {
      model: byPolicy,
    });
    expect(seen.slice(seen.lastIndexOf("/next"))).toContain("12 matches.");
    const nothing = await typing(["/next", "/next", "/next"], { model: byPolicy });
    expect(nothing.seen).toContain("That was the last example.");
    expect(nothing.code).toBe(0);
  });

  test("a model that breaks is told, and can be tried again", async () => {
    let asked = 0;
    const model = async () => {
      asked += 1;
      if (asked === 2) throw new Error("Out of memory.");
      return byPolicy({} as never).catch(() => ({
        message: { role: "assistant" as const, content: "<take>1</take>" },
        finish: "stop" as const,
      }));
    };
    const { seen, code } = await typing(["3", "y", "/quit"], { model });
    expect(seen).toContain("✗ rival: Out of memory.\n");
    expect(seen).toContain("Try again? [Y/n] y");
    expect(seen).toContain("you\n  10 left.");
    expect(code).toBe(0);
    asked = 0;
    expect((await typing(["3", "n"], { model })).code).toBe(1);
  });

  test("the mean of several games is told at the end", async () => {
    const one = Array.from({ length: 8 }, () => "1");
    const { seen } = await typing([...one, "", ...one, "", ...one, "n"], { model: byPolicy });
    expect(seen).toMatch(/\n\d games, reward [\d.]+ on average\./);
  });
});

describe("in the model's place", () => {
  test("the person sees what a model is told, and what they type is sent in its form", async () => {
    const { seen } = await typing(["3", "/quit"]);
    expect(seen).toContain("system\n  Take 1, 2 or 3 matches.");
    expect(seen).toContain("user\n  15 matches.\n› 3\n  sent: <why></why> <take>3</take>\n");
    expect(seen).not.toContain("That is no move.");
  });

  test("text with the tags is sent as it is; several lines are one text", async () => {
    const { seen } = await typing([
      "<take>x</take>",
      '"""',
      "Because",
      "of it",
      "2",
      '"""',
      "/quit",
    ]);
    expect(seen).toContain("user\n  That is no move.");
    expect(seen).toContain("  sent: <why>Because of it</why> <take>2</take>");
  });

  test("/back, /hint and /show", async () => {
    const { seen } = await typing(["/back", "3", "/back", "/hint", "/show", "/quit"]);
    expect(seen).toContain("There is nothing to take back yet.");
    expect(seen.match(/user\n {2}15 matches\./g)).toHaveLength(3);
    expect(seen).toMatch(/one would say\n {2}why {3}I like it\.\n {2}take {2}[123]/);
  });

  test("a wrong command is told, two slashes begin a text", async () => {
    const { seen } = await typing(["/bak", "//1", "", "/call look", "/help", "/quit"]);
    expect(seen).toContain("There is no command /bak. Did you mean back?");
    expect(seen).toContain("<take>/1</take>");
    expect(seen).toContain("Type an answer, or /help.");
    expect(seen).toContain('There is no tool "look".');
    expect(seen).toContain("/restart");
  });

  test("where there is nothing more to read, the play ends", async () => {
    expect((await typing([])).code).toBe(0);
    expect((await typing(['"""', "half"])).code).toBe(0);
  });

  test("a policy that cannot answer spoils no game", async () => {
    const { definition, ...rest } = nim();
    const policies = { broken: definition.policies!["broken"]! };
    const environment = { ...rest, definition: { ...definition, policies } };
    const { seen } = await typing(["/hint", "<take>1</take>", "/quit"], { environment });
    expect(seen).toContain("broken does not know.");
    expect(seen).toMatch(/user\n {2}\d+ matches\.\n› \/quit/);
  });
});
