import { paint } from "@envs/terminal";

/** Marks what changed since `before`, line by line: on a board of the same shape, the move. */
export function markChanges(
  lines: readonly string[],
  before: readonly string[],
): readonly string[] {
  return lines.map((line, at) => {
    const old = before[at] ?? "";
    const signs = Array.from(line);
    const oldSigns = Array.from(old);
    const changed = signs.filter((sign, place) => sign !== oldSigns[place]).length;
    if (signs.length !== oldSigns.length || changed === 0 || changed * 2 > signs.length)
      return line;
    return signs
      .map((sign, place) => (sign === oldSigns[place] ? sign : paint(["bold", "cyan"], sign)))
      .join("");
  });
}
