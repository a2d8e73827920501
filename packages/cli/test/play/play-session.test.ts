import { defineEnvironment } from "@envs/core";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";

import { countingModel, nim, playLines, policyModel } from "./nim.ts";

const lastMatch = (output: string, pattern: RegExp) =>
  output.match(new RegExp(pattern, "g"))?.at(-1);

const verse = defineEnvironment({
  name: "verse",
  dataset: () => [{ prompt: "Write a line." }],
  episode: { maxTurns: 1 },
  rubric: {
    rhymes: {
      needs: ["judge"],
      async score({ reply, judge }) {
        const { message } = await judge!({ messages: [{ role: "user", content: reply }] });
        return message.content === "yes";
      },
    },
    short: ({ reply }) => reply.length < 20,
  },
});

describe("playSession with a score that asks a judge", () => {
  test("leaves the score out without a judge, and names it", async () => {
    const { output, code } = await playLines(["no", "n"], { environment: verse() });
    expect(code).toBe(0);
    expect(output).toMatch(/the end 1 turn\n {2}reward 1 {2}short 1\n {2}not judged: rhymes\n/);
  });

  test("asks the judge over HTTP at the end", async () => {
    const server = await modelServer({ name: "careful" });
    onTestFinished(() => server.close());
    const judge = openai("careful", { baseURL: server.url });
    const { output } = await playLines(["yes", "n"], { environment: verse(), judge });
    expect(output).toMatch(/the end 1 turn\n {2}reward 2 {2}rhymes 1 {2}short 1\n/);
    expect([server.requests, output]).toEqual([1, expect.not.stringContaining("not judged")]);
  });
});

describe("playSession against a model", () => {
  test("notes that the model has replied, asks the player, and shows the result", async () => {
    const { output, code } = await playLines(["3", "3", "3", "3", "3", "n"], {
      model: countingModel(),
    });
    expect(code).toBe(0);
    expect(output).toContain("rival first · turn 1 · ");
    expect(output).not.toContain("<take>2</take>");
    expect(output).toContain("user\n  13 left.\n› 3");
    expect(output).toMatch(/user\n {2}You (win|took the last match)\./);
    expect(output).toMatch(/the end \d+ turns?\n {2}reward [01] {2}win [01]/);
    expect(output).toContain("Play again? [Y/n] n");
  });

  test("explains an invalid answer and asks again", async () => {
    const { output } = await playLines(["all", "2", "/quit"], { model: countingModel() });
    expect(output).toMatch(/› all\n {2}sent: .*\n\nuser\n {2}Take 1, 2 or 3\.\n› 2\n/);
  });

  test("takes back the player's last answer on /back without calling the model for replayed turns", async () => {
    const model = countingModel();
    const { output } = await playLines(["1", "/back", "3", "/quit"], { model });
    expect(output.match(/13 left\./g)).toHaveLength(2);
    expect(output.match(/rival first · turn 1\b/g)).toHaveLength(2);
    // The second call answered the move that was taken back; the third takes one match.
    expect(model.calls).toBe(3);
    expect(output).toContain(`\n  ${13 - 3 - 1} left.`);
  });

  test("takes back a rejected answer, but not the model's first reply", async () => {
    const { output } = await playLines(["/back", "x", "/back", "/back", "/quit"], {
      model: countingModel(),
    });
    expect(output.match(/There is no answer to take back\./g)).toHaveLength(2);
  });

  test("reaches the same state with and without moves that were taken back", async () => {
    const environment = nim({ matches: 60 });
    const move = fc.constantFrom("1", "2", "3");
    const detour = fc.array(fc.oneof(move, fc.constant("/back")), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(detour, async (typed) => {
        const straight: string[] = [];
        for (const line of typed)
          if (line === "/back") straight.pop();
          else straight.push(line);
        const show = async (lines: readonly string[]) => {
          const { output } = await playLines([...lines, "/show", "/quit"], {
            environment,
            model: policyModel,
          });
          return output.slice(output.lastIndexOf("/show"));
        };
        expect(await show(typed)).toBe(await show(straight));
      }),
      { numRuns: 60 },
    );
  });

  test("takes back the last answer of a finished game", async () => {
    const straight = await playLines(["1", "1", "1", "1", "1", "1"], { model: policyModel });
    const question = lastMatch(straight.output, /user\n.*left\./);
    const moves = straight.output.match(/^› 1$/gm)!.length;
    const typed = Array.from({ length: moves }, () => "1");
    const { output } = await playLines([...typed, "/back", "/quit"], { model: policyModel });
    expect(output).toContain("Play again? [Y/n] /back");
    expect(lastMatch(output, /user\n.*left\./)).toBe(question);
  });

  test("restarts the example on /restart and goes to the next on /next", async () => {
    const { output } = await playLines(["1", "/restart", "/next", "/show", "/quit"], {
      model: policyModel,
    });
    expect(output.slice(output.lastIndexOf("/next"))).toMatch(/(?:11|10|9) left\./);
    const noMore = await playLines(["/next", "/next", "/next"], { model: policyModel });
    expect(noMore.output).toContain("That was the last example.");
    expect(noMore.code).toBe(0);
  });

  test("reports a model error and offers a retry", async () => {
    let calls = 0;
    const model = async () => {
      calls += 1;
      if (calls === 2) throw new Error("Out of memory.");
      return policyModel({} as never).catch(() => ({
        message: { role: "assistant" as const, content: "<take>1</take>" },
        finish: "stop" as const,
      }));
    };
    const { output, code } = await playLines(["3", "y", "/quit"], { model });
    expect(output).toContain("✗ rival: Out of memory.\n");
    expect(output).toContain("Try again? [Y/n] y");
    expect(output).toContain("user\n  10 left.");
    expect(code).toBe(0);
    calls = 0;
    expect((await playLines(["3", "n"], { model })).code).toBe(1);
  });

  test("prints the mean reward of several games", async () => {
    const one = Array.from({ length: 8 }, () => "1");
    const { output } = await playLines([...one, "", ...one, "", ...one, "n"], {
      model: policyModel,
    });
    expect(output).toMatch(/\n\d games, mean reward [\d.]+\./);
  });
});

describe("playSession in the model's place", () => {
  test("shows the model's messages and wraps typed text in the tags of a reply", async () => {
    const { output } = await playLines(["3", "/quit"]);
    expect(output).toContain("system\n  Take 1, 2 or 3 matches.");
    expect(output).toContain("user\n  15 matches.\n› 3\n  sent: <why></why> <take>3</take>\n");
    expect(output).not.toContain("user\n  Take 1, 2 or 3.");
  });

  test("sends text with tags unchanged, and several lines as one reply", async () => {
    const { output } = await playLines([
      "<take>x</take>",
      '"""',
      "Because",
      "of it",
      "2",
      '"""',
      "/quit",
    ]);
    expect(output).toContain("user\n  Take 1, 2 or 3.");
    expect(output).toContain("  sent: <why>Because of it</why> <take>2</take>");
  });

  test("supports /back, /hint and /show", async () => {
    const { output } = await playLines(["/back", "3", "/back", "/hint", "/show", "/quit"]);
    expect(output).toContain("There is no answer to take back.");
    expect(output.match(/user\n {2}15 matches\./g)).toHaveLength(3);
    expect(output).toMatch(/one would answer\n {2}why {3}I like it\.\n {2}take {2}[123]/);
  });

  test("reports an unknown command, and accepts // to begin an answer", async () => {
    const { output } = await playLines(["/bak", "//1", "", "/call look", "/help", "/quit"]);
    expect(output).toContain("Unknown command /bak. Did you mean back?");
    expect(output).toContain("<take>/1</take>");
    expect(output).toContain("Type an answer, or /help.");
    expect(output).toContain('Unknown tool "look".');
    expect(output).toContain("/restart");
  });

  test("ends at the end of the input", async () => {
    expect((await playLines([])).code).toBe(0);
    expect((await playLines(['"""', "half"])).code).toBe(0);
  });

  test("continues the game when the policy of /hint fails", async () => {
    const { definition, ...rest } = nim();
    const { broken, lucky } = definition.policies!;
    const policies = { broken: broken!, lucky: lucky! };
    const environment = { ...rest, definition: { ...definition, policies } };
    const { output } = await playLines(["/hint", "<take>1</take>", "/quit"], { environment });
    expect(output).toContain("broken cannot answer:");
    expect(output).toMatch(/user\n {2}\d+ matches\.\n› \/quit/);
  });
});
