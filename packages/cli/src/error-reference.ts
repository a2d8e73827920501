import { type ErrorEntry, rolloutErrors } from "@envs/records/error-reference";

import { importIfInstalled } from "./packages/import-package.ts";
import { commandPackages } from "./packages/package-commands.ts";

/** An error code with its entry. A code that two areas share has two entries. */
export interface ErrorExplanation extends ErrorEntry {
  readonly code: string;
  /** The part of the software that reports it. */
  readonly area: string;
  /** HTTP statuses, if the error is a response. */
  readonly statuses: readonly number[];
}

/** An entry of a package: its error may be a response with one of two HTTP statuses. */
interface AreaEntry extends ErrorEntry {
  readonly status?: number;
  readonly otherStatus?: number;
}

/** The export of `<package>/commands` that explains the errors of a package, by area and code. */
export interface ErrorPackage {
  readonly errors?: Readonly<Record<string, Readonly<Record<string, AreaEntry>>>>;
}

/** Every error code of the installed packages, by area. */
export async function errorReference(): Promise<readonly ErrorExplanation[]> {
  const packages = await Promise.all(
    commandPackages.map((name) => importIfInstalled<ErrorPackage>(`${name}/commands`)),
  );
  const areas: NonNullable<ErrorPackage["errors"]> = {
    Rollouts: rolloutErrors,
    ...Object.fromEntries(packages.flatMap((installed) => Object.entries(installed?.errors ?? {}))),
  };
  return Object.entries(areas).flatMap(([area, entries]) =>
    Object.entries(entries).map(([code, { status, otherStatus, what, why, fix }]) => ({
      code,
      area,
      statuses: [status, otherStatus].filter((each) => each !== undefined),
      what,
      why,
      fix,
    })),
  );
}
