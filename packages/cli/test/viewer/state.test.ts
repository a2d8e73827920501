import { stripVTControlCharacters } from "node:util";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { widthOf } from "../../src/terminal/wrap.ts";
import { press } from "../../src/viewer/press.ts";
import { draw } from "../../src/viewer/screen.ts";
import { type Key, startState, type ViewState } from "../../src/viewer/state.ts";
import { playedRollout, viewedRun } from "./run.ts";

const size = { columns: 80, rows: 24 };
const long = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");
const rollouts = [
  playedRollout(0, 1),
  playedRollout(1, 0, [{ role: "assistant", content: long }]),
  playedRollout(2, undefined),
  playedRollout(3, 0.5),
];

function key(name: string): Key {
  if (name.startsWith("C-")) return { name: name.slice(2), isControl: true };
  return name.length === 1 ? { name, text: name } : { name };
}

/** Presses keys in order. Types the characters of text in angle brackets. */
function after(keys: string, state: ViewState = startState(viewedRun(rollouts), {})): ViewState {
  let current = state;
  for (const [, typed, name] of keys.matchAll(/<([^>]*)>|(\S+)/g))
    for (const pressed of typed === undefined ? [key(name!)] : Array.from(typed, key)) {
      const next = press(current, pressed, draw(current, size).extent);
      if (next === undefined) throw new Error(`${pressed.name} closed the viewer.`);
      current = next;
    }
  return current;
}

function screen(state: ViewState): string {
  return stripVTControlCharacters(draw(state, size).lines.join("\n"));
}

describe("the viewer", () => {
  test("starts with a list: one line for each rollout", () => {
    const lines = screen(after("")).split("\n");
    expect(lines[1]).toBe("  #   id  reward  turns  status         last reply or error");
    expect(lines.slice(2, 6).map((line) => line.trimEnd())).toEqual([
      "› 1  0/0       1      1  end            reply 0",
      "  2  1/0       0      1  end            line 0 line 1 line 2 line 3 line 4 line…",
      "  3  2/0       –      1  failed: model  The server has closed.",
      "  4  3/0     0.5      1  end            reply 3",
    ]);
  });

  test("has a column with the part of a mix, by which it filters", () => {
    const mixed = [
      { ...playedRollout(0, 1), part: "games/wordle" },
      { ...playedRollout(1, 1), part: "tictactoe" },
    ];
    const start = startState(viewedRun(mixed), {});
    expect(screen(after("", start)).split("\n")[1]).toBe(
      "  #   id  reward  turns  part          status  last reply or error",
    );
    const shown = screen(after("/ <part == tictactoe> return", start));
    expect(shown).toMatch(/› 1 {2}1\/0 {7}1 {6}1 {2}tictactoe {2}end {5}reply 1/);
    expect(screen(after("return", start))).toContain("part games/wordle · ended by end · 1 turn");
  });

  test("shows the answer after a model's thoughts, and a tool call without text", () => {
    const call = {
      id: "1",
      type: "function",
      function: { name: "look", arguments: "{}" },
    } as const;
    const run = viewedRun([
      playedRollout(0, 1, [{ role: "assistant", content: "<think>hm</think>\n\n  4  \n2 " }]),
      playedRollout(1, 1, [{ role: "assistant", content: "", tool_calls: [call] }]),
      playedRollout(2, 1, []),
    ]);
    const lines = screen(startState(run, {})).split("\n");
    expect(lines[2]).toMatch(/end {5}4 2 *$/);
    expect(lines[3]).toMatch(/→ look\(\)$/);
    expect(lines[4]).toMatch(/end *$/);
  });

  test("opens a rollout with Enter, and returns to its line with Escape and q", () => {
    const opened = after("down down return");
    expect(screen(opened)).toContain("rollout 3 of 4");
    for (const key of ["escape", "q"]) {
      const list = after(key, opened);
      expect(screen(list)).toContain("› 3  2/0");
    }
    expect(screen(after("n escape", opened))).toContain("› 4  3/0");
  });

  test("opens the summary with s, and returns to the list", () => {
    expect(screen(after("s"))).toContain("3 scored, 1 failed");
    expect(after("s escape")).toMatchObject({ page: "list" });
    expect(after("return s q")).toMatchObject({ page: "list" });
  });

  test("shows a notice at either end of the rollouts", () => {
    expect(after("end return n").notice).toBe("This is the last rollout.");
    expect(after("return p").notice).toBe("This is the first rollout.");
  });

  test("keeps the cursor on the screen of a long list", () => {
    const many = startState(
      viewedRun(Array.from({ length: 500 }, (_, index) => playedRollout(index, 1))),
      {},
    );
    for (const keys of [
      "end",
      "end pageup up",
      "pagedown pagedown k",
      "end home down",
      "g <251> return q",
    ]) {
      const state = after(keys, many);
      expect(screen(state)).toContain(`› ${String(state.cursor + 1).padStart(3)}`);
    }
    expect(after("g <251> return q", many).cursor).toBe(250);
  });

  test("goes to a rollout by number", () => {
    expect(after("g <3> return")).toMatchObject({ page: "rollout", cursor: 2 });
    expect(after("g <9> return").notice).toBe("There is no rollout 9. Enter a number from 1 to 4.");
    expect(after("g <x> escape")).toMatchObject({ page: "list", prompt: undefined });
  });

  test("filters by an expression and clears the filter", () => {
    const filtered = after("/ <right==0> return");
    expect(filtered.selected).toEqual([rollouts[1]]);
    expect(screen(filtered)).toContain("1 of 4 rollouts · right==0");
    expect(after("escape", filtered).selected).toHaveLength(4);
    expect(after("/ C-u return", filtered).selected).toHaveLength(4);
  });

  test("reopens the prompt with an invalid expression and shows the error", () => {
    const invalid = after("/ <rihgt==0> return");
    expect(invalid.prompt?.text).toBe("rihgt==0");
    expect(screen(invalid)).toContain("Did you mean right?");
    expect(after("C-u <right==1> return", invalid).selected).toEqual([rollouts[0]]);
  });

  test("shows failed rollouts with the causes of their errors", () => {
    const failed = after("f");
    expect(failed.selected).toEqual([rollouts[2]]);
    expect(screen(after("return", failed))).toContain("failed (model): The server has closed.");
    expect(screen(after("return", failed))).toContain("caused by TypeError: fetch failed");
    expect(after("f", failed).selected).toHaveLength(4);
  });

  test("stays at the current rollout if it matches a new filter", () => {
    const filtered = after("g <4> return / <right==0.5> return");
    expect(filtered).toMatchObject({ page: "rollout", cursor: 0 });
    expect(filtered.selected[0]).toBe(rollouts[3]);
    expect(after("f", filtered)).toMatchObject({ page: "list", selected: [] });
  });

  test("shortens long messages until a is pressed", () => {
    const shortened = after("g <2> return");
    expect(screen(after("end", shortened))).toContain("36 more lines, press a to show all");
    expect(screen(after("a end", shortened))).toContain("line 59");
  });

  test("scrolls with the space bar to the end of a rollout, then goes to the next", () => {
    const second = after("g <2> return a");
    const end = after("space space space", second);
    expect(screen(end)).toContain("line 59");
    expect(after("space", end).cursor).toBe(2);
  });

  test("does not scroll past either end", () => {
    const second = after("g <2> return a");
    expect(after("up pageup home", second).scroll).toBe(0);
    expect(screen(after("end down pagedown up down", second))).toContain("line 59");
  });

  test("closes on q in the list, and on Ctrl-C everywhere", () => {
    const { extent } = draw(after(""), size);
    expect(press(after("return q"), key("q"), extent)).toBeUndefined();
    for (const keys of ["", "return", "s", "/", "?"])
      expect(press(after(keys), key("C-c"), extent)).toBeUndefined();
    expect(after("? x").isHelp).toBe(false);
    expect(after("escape").notice).toBe("Press q to quit.");
  });

  test("draws exactly one line per row and none wider than the terminal, for any keys", () => {
    const run = viewedRun([
      ...rollouts,
      playedRollout(4, 1, [
        { role: "assistant", content: "漢字🎲 \u001B[31m ".repeat(40), reasoning_content: "hm\t" },
        { role: "tool", tool_call_id: "1", content: "x".repeat(500) },
      ]),
    ]);
    const names =
      "n p f a g / ? s space up down end home pagedown return escape backspace C-u 1 x q j k";
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names.split(" ")), { maxLength: 30 }),
        fc.integer({ min: 20, max: 140 }),
        fc.integer({ min: 2, max: 60 }),
        (keys, columns, rows) => {
          let state: ViewState | undefined = startState(run, {});
          for (const name of keys) {
            if (state === undefined) return;
            const { lines, extent } = draw(state, { columns, rows });
            expect(lines).toHaveLength(rows);
            for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
            state = press(state, key(name), extent);
          }
        },
      ),
    );
  });
});
