/** A row of a table that compares features of verifiers with ours. */
export interface ParityRow {
  readonly feature: string;
  readonly status: string;
  readonly here: string;
}

/** The rows of the tables of a page whose first column is `verifiers`. */
export function parityRows(markdown: string): readonly ParityRow[] {
  const tables = markdown
    .trimEnd()
    .split(/\n\n+/)
    .filter((block) => block.startsWith("| verifiers "));
  return tables.flatMap((table) =>
    table
      .split("\n")
      .slice(2)
      .map((line) => {
        const [, feature = "", status = "", here = ""] = line.split("|").map((cell) => cell.trim());
        return { feature, status, here };
      }),
  );
}

/** The exports that a text names, such as `episode` of `@envs/core/engine`: one entry for each name. */
export function namedExports(
  text: string,
): readonly { readonly name: string; readonly module: string }[] {
  const mentions = /(?<names>(?:`\w+`(?:, | and | or )?)+) of `(?<module>@envs\/[\w/-]+)`/g;
  return [...text.matchAll(mentions)].flatMap(({ groups }) =>
    [...(groups?.["names"] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => ({
      name,
      module: groups?.["module"] ?? "",
    })),
  );
}
