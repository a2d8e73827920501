import { clean, paint } from "@envs/cli/kit";

import type { ManagerReport } from "./check-manager.ts";
import type { Finding } from "./checks.ts";

/** The results of `envs hub doctor`. */
export interface DoctorReport {
  readonly url: string;
  /** The option, variable or configuration line that names the hub. */
  readonly from: string;
  readonly hub: readonly Finding[];
  /** About the installed versions of the hub's packages. */
  readonly packages: readonly Finding[];
  readonly files: readonly Finding[];
  readonly managers: readonly {
    readonly title: string;
    /** Whether this project uses it. */
    readonly isOwn: boolean;
    /** Undefined if it is not installed. */
    readonly report: ManagerReport | undefined;
  }[];
}

const marks = {
  good: paint("green", "✓"),
  note: paint("yellow", "!"),
  bad: paint("red", "✗"),
} as const;

/** Formats the report: the hub, then each package manager, then packages and files. */
export function formatDoctorReport(report: DoctorReport): string {
  const { url, from, hub, packages, files, managers } = report;
  const sections = managers.flatMap(({ title, isOwn, report: manager }) =>
    manager === undefined
      ? []
      : [
          section(
            `${title.replace(/ \d$/, "")} ${manager.version}`,
            isOwn ? "the package manager of this project" : "",
            manager.findings,
          ),
        ],
  );
  const missing = managers
    .filter(({ report: manager }) => manager === undefined)
    .map(({ title }) => title);
  return [
    section(url, `the hub, from ${from}`, hub),
    ...sections,
    ...(packages.length === 0 ? [] : [section("packages", "installed from the hub", packages)]),
    ...(files.length === 0 ? [] : [section("files", "", files)]),
    ...(missing.length === 0 ? [] : [paint("dim", `not installed: ${missing.join(", ")}`)]),
  ].join("\n\n");
}

function section(title: string, remark: string, findings: readonly Finding[]): string {
  const suffix = remark === "" ? "" : paint("dim", `  ${clean(remark)}`);
  return [
    `${paint("bold", clean(title))}${suffix}`,
    ...findings.map(
      ({ state, text }) => `  ${marks[state]} ${clean(text).replaceAll("\n", "\n    ")}`,
    ),
  ].join("\n");
}
