import { clean, ownScope, UsageError } from "@envs/cli/kit";
import type { PackageSummary } from "@envs/hub-client";

import type { Prompter } from "../connection/prompter.ts";

/** The prompts for a choice between packages. */
export type PackagePrompter = Pick<Prompter, "choice" | "notify">;

/** The packages of a hub with one name in different scopes, and how to ask which one the user means. */
interface Selection {
  /** The name without a scope. */
  readonly name: string;
  readonly url: string;
  readonly prompter: PackagePrompter;
}

/**
 * Selects one of the packages that share a name. Anyone may publish the name in their own scope, so environments come
 * before other packages, and the scope of `@envs/core` before other scopes. Otherwise the user decides.
 */
export async function selectPackage(
  matches: readonly PackageSummary[],
  { name, url, prompter }: Selection,
): Promise<PackageSummary> {
  const environments = matches.filter(({ isEnvironment }) => isEnvironment);
  const candidates = environments.length > 0 ? environments : matches;
  const preferred =
    candidates.length === 1
      ? candidates[0]
      : candidates.find((candidate) => candidate.name.startsWith(`${ownScope}/`));
  const title = `Several packages on ${url} are named ${name}.`;
  const sorted = matches.toSorted((a, b) => b.downloads - a.downloads);
  if (preferred !== undefined) {
    const others = sorted.filter((match) => match !== preferred);
    if (others.length > 0)
      prompter.notify(`${title} Selected ${clean(preferred.name)}. Others:${listOf(others)}`);
    return preferred;
  }
  const choices = sorted.filter((match) => candidates.includes(match));
  const hints = Object.fromEntries(choices.map((choice) => [choice.name, factsOf(choice)]));
  const chosen = await prompter.choice(`${title} Which one?`, hints);
  const match = choices.find((choice) => choice.name === chosen);
  if (match !== undefined) return match;
  throw new UsageError(`${title} Write the scope:${listOf(sorted)}`);
}

function factsOf({ isEnvironment, downloads }: PackageSummary): string {
  const count = `${downloads} download${downloads === 1 ? "" : "s"}`;
  return isEnvironment ? count : `${count}, not an environment`;
}

function listOf(packages: readonly PackageSummary[]): string {
  return packages.map((each) => `\n  ${clean(each.name)} (${factsOf(each)})`).join("");
}
