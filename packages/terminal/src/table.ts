import Table from "cli-table3";

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
