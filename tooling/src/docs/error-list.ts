/** An error code as `envs explain --json` prints it. */
export interface ErrorCode {
  readonly code: string;
  readonly area: string;
  readonly statuses: readonly number[];
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** The error reference in Markdown: a section for each area, a heading for each code. */
export function errorList(codes: readonly ErrorCode[]): string {
  const areas = Object.entries(Object.groupBy(codes, ({ area }) => area));
  return areas
    .map(([area, entries = []]) => [`## ${area}`, entries.map(section).join("\n\n")].join("\n\n"))
    .join("\n\n");
}

function section({ code, statuses, what, why, fix }: ErrorCode): string {
  const http = statuses.length === 0 ? "" : `HTTP ${statuses.join(" or ")}. `;
  return [
    `### \`${code}\``,
    http + what,
    [`- **Why:** ${why}`, `- **What to do:** ${fix}`].join("\n"),
  ].join("\n\n");
}
