import type { Board, BoardCell } from "@envs/core";
import type { LabelledChoice } from "@envs/core/engine";

import { clean, paint } from "../terminal/text.ts";
import { truncate, wrap } from "../terminal/wrap.ts";

const indent = "  ";
/** The maximum number of choices that are listed; more are only counted. */
const maxListed = 40;

/** The text that a player types for each choice: its label, or its number if some labels are long or equal. */
export function choiceKeys(choices: readonly LabelledChoice[]): readonly string[] {
  const labels = choices.map(({ label }) => label);
  const areShort = labels.every((label) => /^\S{1,12}$/u.test(label));
  return areShort && new Set(labels).size === labels.length
    ? labels
    : labels.map((_, index) => String(index + 1));
}

/** Formats the legal replies, each with the text that the player types for it. */
export function choiceList(choices: readonly LabelledChoice[], columns: number): string {
  const keys = choiceKeys(choices);
  if (choices.length > maxListed) {
    const [first, last] = [clean(keys[0]!), clean(keys.at(-1)!)];
    return paint("dim", `${indent}${choices.length} choices, from ${first} to ${last}`);
  }
  if (keys.every((key, index) => key === choices[index]!.label))
    return wrap(`Choose: ${keys.map(clean).join(", ")}`, columns - indent.length)
      .map((line) => indent + paint("dim", line))
      .join("\n");
  return choices
    .map(({ label }, index) => {
      const text = truncate(clean(label.replaceAll("\n", " ")), columns - 8);
      return `${indent}${paint("bold", keys[index]!.padStart(3))}  ${text}`;
    })
    .join("\n");
}

/** Formats a board as lines. A square that plays a choice shows the text that the player types for it. */
export function boardLines({ rows }: Board, choices: readonly LabelledChoice[]): readonly string[] {
  const keys = choiceKeys(choices);
  const keyOf = ({ reply }: BoardCell): string => {
    const index = choices.findIndex((choice) => choice.reply === reply);
    return index === -1 ? "" : keys[index]!;
  };
  const textOf = (cell: BoardCell): string => clean(cell.text === "" ? keyOf(cell) : cell.text);
  const width = Math.max(1, ...rows.flat().map((cell) => textOf(cell).length));
  const lines = rows.map((row) =>
    row
      .map((cell) => {
        const text = textOf(cell).padEnd(width);
        if (cell.text === "") return paint("dim", text);
        return cell.isHighlighted === true ? paint(["bold", "cyan"], text) : paint("bold", text);
      })
      .join(" │ "),
  );
  const squares = Math.max(...rows.map((row) => row.length));
  const separator = Array.from({ length: squares }, () => "─".repeat(width)).join("─┼─");
  return lines.flatMap((line, index) => (index === 0 ? [line] : [separator, line]));
}

/**
 * Whether a message already draws the board: its lines contain the marks of all rows, in order. On a board without marks, they
 * contain the keys of the squares.
 */
export function drawsBoard(
  text: string,
  { rows }: Board,
  choices: readonly LabelledChoice[] = [],
): boolean {
  const keys = choiceKeys(choices);
  const isEmpty = rows.flat().every((cell) => cell.text === "");
  const markOf = ({ text: mark, reply }: BoardCell): string =>
    isEmpty ? (keys[choices.findIndex((choice) => choice.reply === reply)] ?? "") : mark;
  const lines = text.split("\n");
  let from = 0;
  return rows.every((row) => {
    const marks = row.map(markOf).filter((mark) => mark !== "");
    const at = lines.findIndex((line, index) => index >= from && hasInOrder(line, marks));
    from = at + 1;
    return at !== -1;
  });
}

function hasInOrder(line: string, marks: readonly string[]): boolean {
  let from = 0;
  return marks.every((mark) => {
    const at = line.indexOf(mark, from);
    from = at + mark.length;
    return at !== -1;
  });
}
