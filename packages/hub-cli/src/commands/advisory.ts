import {
  argument,
  choiceOption,
  clean,
  defineCommand,
  formatTable,
  paint,
  parseAction,
  printResult,
  success,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import { type Advisory, type PackageDetail, routes } from "@envs/hub-client";
import semver from "semver";

import { connect, connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { findPackage, scopeOf } from "../packages/find-package.ts";

const severities = routes.publishAdvisory.body.shape.severity.options;

export const command = defineCommand({
  meta: {
    name: "hub advisory",
    description:
      "Warn users of some versions of your package, for example about wrong rewards. envs install, envs hub doctor, envs info and npm audit show the advisory",
  },
  args: {
    action: argument("list, create or withdraw (default list)"),
    package: argument("The package"),
    id: argument("The advisory to withdraw"),
    title: valueOption(
      "The problem in one sentence, such as 'The reward leaks the answer'",
      "text",
    ),
    versions: valueOption("The versions that it affects, such as '<=0.3.1'", "range"),
    mended: valueOption("The versions that fix it, such as '>=0.3.2'", "range"),
    severity: valueOption(`One of: ${severities.join(", ")} (default moderate)`),
    text: valueOption("Details and advice, in Markdown"),
    ...otpArgument,
    ...hubArguments,
  },
  async run({ args }): Promise<void> {
    const [word, packageName, number] = args._;
    const action = parseAction("hub advisory", word, ["list", "create", "withdraw"]);
    if (packageName === undefined)
      throw new UsageError(
        `Missing package. Write: envs hub advisory ${action} @you/your-environment`,
      );
    const { registry, otp, json } = args;
    const advisory = action === "create" ? parseAdvisory(args) : undefined;
    const id = action === "withdraw" ? parseId(number, packageName) : undefined;
    const connection = await (action === "list" ? connect : connectAsUser)({
      command: `envs hub advisory ${action}`,
      registry,
      otp,
      scope: scopeOf(packageName),
    });
    const { client } = connection;
    const { name, versions } = await findPackage(connection, packageName);
    if (advisory !== undefined) {
      const created = await client.publishAdvisory({ name, ...advisory });
      printResult(json, created, success(formatAdvisory(created, versions)));
    } else if (id !== undefined) {
      const withdrawn = await client.withdrawAdvisory({ name, id });
      printResult(json, withdrawn, success(`Withdrew advisory ${id} of ${name}.`));
    } else {
      const { items } = await client.listAdvisories({ name });
      printResult(json, { advisories: items }, advisoryTable(name, items));
    }
  },
});

function parseAdvisory({
  title,
  versions,
  mended,
  severity,
  text,
}: Readonly<Record<"title" | "versions" | "mended" | "severity" | "text", string | undefined>>) {
  if (title === undefined || versions === undefined)
    throw new UsageError(
      "Missing --title or --versions. Write: envs hub advisory create @you/your-environment --title 'The reward leaks the answer' --versions '<=0.3.1'",
    );
  for (const [option, range] of Object.entries({ versions, mended }))
    if (range !== undefined && semver.validRange(range) === null)
      throw new UsageError(
        `--${option} is ${JSON.stringify(range)}. It must be a range of versions, such as '<=0.3.1'.`,
      );
  return {
    title,
    vulnerableVersions: versions,
    severity: choiceOption("severity", severity, severities) ?? "moderate",
    ...(mended !== undefined && { patchedVersions: mended }),
    ...(text !== undefined && { overview: text }),
  };
}

function parseId(text: string | undefined, name: string): number {
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new UsageError(
    `Missing id of the advisory. Write: envs hub advisory withdraw ${name} <id>. List the ids: envs hub advisory list ${name}`,
  );
}

/** A new advisory: the versions that it affects, its page, and the command that withdraws it. */
function formatAdvisory(
  { id, package: name, title, severity, vulnerableVersions, url }: Advisory,
  versions: PackageDetail["versions"],
): string {
  const affected = versions
    .map(({ version }) => version)
    .filter((version) => semver.satisfies(version, vulnerableVersions));
  return [
    `${paint("bold", clean(name))} · ${severity}: ${clean(title)}`,
    `  affects      ${affected.join(", ") || paint("yellow", `no published version (${vulnerableVersions})`)}`,
    `  page         ${clean(url)}`,
    `  to withdraw  envs hub advisory withdraw ${clean(name)} ${id}`,
  ].join("\n");
}

/** The advisories of a package as a table. */
function advisoryTable(name: string, advisories: readonly Advisory[]): string {
  if (advisories.length === 0) return `${clean(name)} has no advisories.`;
  const titles = ["id", "severity", "affects", "fixed in", "created", "title"];
  return formatTable(
    [titles.map((title) => paint("dim", title)), ...advisories.map(advisoryRow)],
    "text",
  );
}

function advisoryRow({
  id,
  severity,
  vulnerableVersions,
  patchedVersions,
  createdAt,
  title,
  withdrawnAt,
}: Advisory): readonly string[] {
  return [
    String(id),
    severity,
    vulnerableVersions,
    patchedVersions ?? "–",
    createdAt.slice(0, 10),
    withdrawnAt === null ? title : `(withdrawn) ${title}`,
  ].map(clean);
}
