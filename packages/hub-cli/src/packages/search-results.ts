import { clean, formatTable, paint } from "@envs/cli/kit";
import { truncate, widthOf, wrap } from "@envs/cli/kit/layout";
import type { PackageSummary, SearchResults } from "@envs/hub-client";

/** If fewer columns are left, a description is printed below its row. */
const minDescriptionWidth = 28;

/** Formats the results of a search as a table of at most `columns`. */
export function formatSearchResults(results: SearchResults, columns = Infinity): string {
  const { items, total, page, perPage, isApproximate } = results;
  if (items.length === 0)
    return total === 0
      ? "Nothing found. Try other words, or fewer options."
      : `Page ${page} does not exist: there are ${total} results.`;
  const isComplete = page * perPage >= total && page === 1;
  return [
    ...(isApproximate
      ? [paint("yellow", "No exact match. These have similarly spelled words:"), ""]
      : []),
    ...resultLines(items, columns),
    ...(isComplete ? [] : ["", paint("dim", paging(results))]),
  ].join("\n");
}

function resultLines(items: readonly PackageSummary[], columns: number): readonly string[] {
  const rows = formatTable(
    [
      ["name", "version", "kind", "downloads", "stars"].map((title) => paint("dim", title)),
      ...items.map((item) => [
        paint("bold", clean(item.name)),
        clean(item.version),
        clean(item.kind ?? "–"),
        item.downloads.toLocaleString("en"),
        item.stars.toLocaleString("en"),
      ]),
    ],
    "text",
  ).split("\n");
  const width = Math.max(...rows.map(widthOf));
  const descriptionWidth = columns - width - 3;
  return rows.flatMap((row, index) => {
    const item = items[index - 1];
    if (item === undefined) return truncate(row, columns);
    const description = clean(describe(item)).replaceAll("\n", " ");
    if (descriptionWidth < minDescriptionWidth)
      return [truncate(row, columns)].concat(descriptionBelow(description, columns));
    const padding = " ".repeat(width - widthOf(row) + 2);
    return `${row}${padding}${truncate(description, descriptionWidth)}`;
  });
}

function descriptionBelow(description: string, columns: number): readonly string[] {
  if (description === "") return [];
  return wrap(description, Math.max(columns - 2, 20)).map((line) => paint("dim", `  ${line}`));
}

/** Puts warnings before the description. */
function describe({ deprecated, isArchived, access, description }: PackageSummary): string {
  const marks = [
    ...(deprecated === null ? [] : [`deprecated: ${deprecated}`]),
    ...(isArchived ? ["archived"] : []),
    ...(access === "restricted" ? ["private"] : []),
  ];
  return marks.length === 0 ? description : `(${marks.join("; ")}) ${description}`;
}

function paging({ items, total, page, perPage, facets }: SearchResults): string {
  const first = (page - 1) * perPage + 1;
  const next = page * perPage < total ? ` Next: --page ${page + 1}` : "";
  const tags = facets.tags
    .filter(({ count }) => count < total)
    .slice(0, 6)
    .map(({ value, count }) => `${clean(value)} (${count})`);
  const filters = tags.length === 0 ? "" : `\nFilter with --tag: ${tags.join(", ")}`;
  return `${first} to ${first + items.length - 1} of ${total.toLocaleString("en")}.${next}${filters}`;
}
