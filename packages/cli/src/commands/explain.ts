import { type ErrorExplanation, errorReference } from "../error-reference.ts";
import { importIfInstalled } from "../packages/import-package.ts";
import { didYouMean } from "../terminal/arguments.ts";
import { defineCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { argument, flag } from "../terminal/options.ts";
import { formatTable } from "../terminal/output.ts";
import { paint } from "../terminal/text.ts";
import { labelledLines, wrap } from "../terminal/wrap.ts";

export const command = defineCommand({
  meta: { name: "explain", description: "Explain an error code, or list all codes" },
  args: {
    code: argument("The code, such as version-exists"),
    json: flag("Print JSON"),
  },
  async run({ args: { code, json } }): Promise<void> {
    const reference = await errorReference();
    const entries = code === undefined ? reference : entriesOf(reference, code);
    if (json === true) process.stdout.write(`${JSON.stringify(entries)}\n`);
    else if (code === undefined) process.stdout.write(`${codeTable(entries)}\n`);
    else {
      const hub = await configuredHub();
      const page = hub === undefined ? "" : `\n${paint("dim", pageOf(hub, code))}\n`;
      process.stdout.write(`${entries.map(explanation).join("\n\n")}\n${page}`);
    }
  },
});

function entriesOf(
  reference: readonly ErrorExplanation[],
  code: string,
): readonly ErrorExplanation[] {
  const entries = reference.filter((entry) => entry.code === code);
  if (entries.length > 0) return entries;
  const codes = reference.map((entry) => entry.code);
  throw new UsageError(
    `Unknown error code ${JSON.stringify(code)}.${didYouMean(code, codes)} List all codes: envs explain`,
  );
}

/** The entry in the documentation that the hub serves. The anchors of headings are in lower case. */
function pageOf(hub: string, code: string): string {
  return `${hub}/docs/errors#${code.toLowerCase()}`;
}

const width = 78;

/** An error code with its meaning, cause and remedy. */
function explanation({ code, area, statuses, what, why, fix }: ErrorExplanation): string {
  const http = statuses.length === 0 ? "" : `, HTTP ${statuses.join(" or ")}`;
  return [
    `${paint("bold", code)} ${paint("dim", `(${area}${http})`)}`,
    ...wrap(what, width),
    "",
    ...labelledLines("Why:  ", why, width),
    ...labelledLines("Fix:  ", fix, width),
  ].join("\n");
}

/** All codes, one per line, under the area that reports them. */
function codeTable(entries: readonly ErrorExplanation[]): string {
  const areas = Object.entries(Object.groupBy(entries, ({ area }) => area));
  const sections = areas.map(([area, group = []]) => {
    const rows = group.map(({ code, what }) => [`  ${code}`, what]);
    return `${paint("bold", area)}\n${formatTable(rows, "text")}`;
  });
  return [...sections, "Details: envs explain <code>"].join("\n\n");
}

/** The hub whose documents explain more; `undefined` if no hub is configured, or the package hub-cli is missing. */
async function configuredHub(): Promise<string | undefined> {
  const hub = await importIfInstalled<{
    readonly configuredHub: () => Promise<string | undefined>;
  }>("hub-cli/commands");
  return await hub?.configuredHub();
}
