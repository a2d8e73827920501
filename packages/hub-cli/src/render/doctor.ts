import { clean, paint } from "@envs/terminal";

import type { ManagerReport } from "../doctor/examine-manager.ts";
import type { Finding } from "../doctor/finding.ts";

/** All that `envs doctor` found out. */
export interface DoctorReport {
  readonly url: string;
  /** What names the hub. */
  readonly from: string;
  readonly hub: readonly Finding[];
  /** Of the versions that the project has. */
  readonly packages: readonly Finding[];
  readonly files: readonly Finding[];
  readonly managers: readonly {
    readonly title: string;
    /** It is the one that this project uses. */
    readonly isOwn: boolean;
    readonly report: ManagerReport | undefined;
  }[];
}

const signs = {
  good: paint("green", "✓"),
  note: paint("yellow", "!"),
  bad: paint("red", "✗"),
} as const;

/** The report as people read it: the hub, then each package manager, then what concerns all. */
export function doctorReport(report: DoctorReport): string {
  const { url, from, hub, packages, files, managers } = report;
  const present = managers.flatMap(({ title, isOwn, report }) =>
    report === undefined
      ? []
      : [
          part(
            `${title.replace(/ \d$/, "")} ${report.version}`,
            isOwn ? "the package manager of this project" : "",
            report.findings,
          ),
        ],
  );
  const absent = managers.filter(({ report }) => report === undefined).map(({ title }) => title);
  return [
    part(url, `the hub, by ${from}`, hub),
    ...present,
    ...(packages.length === 0 ? [] : [part("packages", "what this project has of it", packages)]),
    ...(files.length === 0 ? [] : [part("files", "", files)]),
    ...(absent.length === 0 ? [] : [paint("dim", `not on this machine: ${absent.join(", ")}`)]),
  ].join("\n\n");
}

function part(title: string, remark: string, findings: readonly Finding[]): string {
  return [
    `${paint("bold", clean(title))}${remark === "" ? "" : paint("dim", `  ${clean(remark)}`)}`,
    ...findings.map(
      ({ state, text }) => `  ${signs[state]} ${clean(text).replaceAll("\n", "\n    ")}`,
    ),
  ].join("\n");
}
