import { readFile } from "node:fs/promises";

import { importIfInstalled } from "./packages/import-package.ts";
import { commandPackages } from "./packages/package-commands.ts";

/** An error code with its entry, in Markdown. A code that two areas share has two entries. */
export interface ErrorExplanation {
  readonly code: string;
  /** The part of the software that reports it. */
  readonly area: string;
  /** HTTP statuses, if the error is a response. */
  readonly statuses: readonly number[];
  /** The failure. */
  readonly what: string;
  /** Its causes. */
  readonly why: string;
  /** The remedy, in the imperative. */
  readonly fix: string;
}

/** The export of `<package>/commands` that explains the errors of a package: its errors.md. */
interface ErrorPackage {
  readonly errors?: URL;
}

/** Every error code of the installed packages, by area. */
export async function errorReference(): Promise<readonly ErrorExplanation[]> {
  const packages = await Promise.all(
    commandPackages.map((name) => importIfInstalled<ErrorPackage>(`${name}/commands`)),
  );
  const files = packages.flatMap((installed) => installed?.errors ?? []);
  const texts = [new URL("../errors.md", import.meta.url), ...files].map((file) =>
    readFile(file, "utf8"),
  );
  return (await Promise.all(texts)).flatMap(parseErrors);
}

const entry =
  /^### `(?<code>\S+)`\n\n(?:HTTP (?<statuses>[\d or]+)\. )?(?<what>.+)\n\n- \*\*Why:\*\* (?<why>.+)\n- \*\*What to do:\*\* (?<fix>.+)$/gm;

/** The entries of an errors.md: a section for each area, with a heading for each code. */
function parseErrors(markdown: string): readonly ErrorExplanation[] {
  const sections = markdown.split(/^## /m).slice(1);
  return sections.flatMap((section) =>
    [...section.matchAll(entry)].map(([, code = "", statuses, what = "", why = "", fix = ""]) => ({
      code,
      area: section.split("\n", 1)[0] ?? "",
      statuses: statuses?.split(" or ").map(Number) ?? [],
      what,
      why,
      fix,
    })),
  );
}
