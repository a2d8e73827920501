import type { PackageSummary, SearchResults } from "@envs/hub-client";
import { clean, formatTable, paint } from "@envs/terminal";
import { truncate, widthOf, wrap } from "@envs/terminal/layout";

/** Narrower than this, a description is not worth reading beside the rest. */
const leastDescription = 28;

/** What a search found, in a table as wide as the terminal; of any width where there is none. */
export function searchResults(found: SearchResults, columns = Infinity): string {
  const { items, total, page, perPage, isApproximate } = found;
  if (items.length === 0)
    return total === 0
      ? "Nothing is like that. Try other words, or fewer options."
      : `There is no page ${page}: ${total} in all.`;
  const shown = page * perPage >= total && page === 1;
  return [
    ...(isApproximate
      ? [paint("yellow", "Nothing has these words; these have words that are spelt alike."), ""]
      : []),
    ...rows(items, columns),
    ...(shown ? [] : ["", paint("dim", more(found))]),
  ].join("\n");
}

function rows(items: readonly PackageSummary[], columns: number): readonly string[] {
  const facts = formatTable(
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
  const width = Math.max(...facts.map(widthOf));
  const room = columns - width - 3;
  const isBeside = room >= leastDescription;
  return facts.flatMap((line, index) => {
    const item = items[index - 1];
    if (item === undefined) return truncate(line, columns);
    const text = clean(described(item)).replaceAll("\n", " ");
    if (isBeside) return `${line}${" ".repeat(width - widthOf(line) + 2)}${truncate(text, room)}`;
    return [truncate(line, columns)].concat(below(text, columns));
  });
}

function below(text: string, columns: number): string[] {
  if (text === "") return [];
  return wrap(text, Math.max(columns - 2, 20)).map((line) => paint("dim", `  ${line}`));
}

/** What one should know comes before what it is. */
function described({ deprecated, isArchived, access, description }: PackageSummary): string {
  const marks = [
    ...(deprecated === null ? [] : [`deprecated: ${deprecated}`]),
    ...(isArchived ? ["archived"] : []),
    ...(access === "restricted" ? ["private"] : []),
  ];
  return marks.length === 0 ? description : `(${marks.join("; ")}) ${description}`;
}

function more({ items, total, page, perPage, facets }: SearchResults): string {
  const first = (page - 1) * perPage + 1;
  const next = page * perPage < total ? ` Next: --page ${page + 1}` : "";
  const tags = facets.tags
    .filter(({ count }) => count < total)
    .slice(0, 6)
    .map(({ value, count }) => `${clean(value)} (${count})`);
  const narrower = tags.length === 0 ? "" : `\nNarrow it with --tag: ${tags.join(", ")}`;
  return `${first} to ${first + items.length - 1} of ${total.toLocaleString("en")}.${next}${narrower}`;
}
