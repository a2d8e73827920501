import Table from "cli-table3";

import { paint } from "./text.ts";

/** Prints the result of a command on stdout: one line of JSON with `--json`, else the text. */
export function printResult(isJson: boolean | undefined, json: object, text: string): void {
  process.stdout.write(isJson === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

/** A line with a check mark. */
export function success(text: string): string {
  return `${paint("green", "✓")} ${text}`;
}

const borders =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid";
const noBorders = Object.fromEntries(borders.split(" ").map((border) => [border, ""]));
const chars = { ...noBorders, middle: "  " };

/**
 * Formats rows of cells as columns without a border. `figures` aligns every column but the first to the right; `text`
 * aligns all to the left.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  kind: "figures" | "text" = "figures",
): string {
  const colAligns = (rows[0] ?? []).map((_, column) =>
    column === 0 || kind === "text" ? "left" : "right",
  );
  const table = new Table({
    chars,
    colAligns,
    style: { "padding-left": 0, "padding-right": 0, border: [], head: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replaceAll(/ +$/gm, "");
}
