import type { JWTPayload } from "jose";

import type { Configuration } from "./configuration.ts";

/** Whether a build is what a configuration names. Hosts tell no capitals apart in the names of repositories. */
export function isOf(
  { type, claims: wanted }: Configuration,
  { claims, host }: { readonly claims: JWTPayload; readonly host: string },
): boolean {
  switch (type) {
    case "github":
      return (
        isSame(claims["repository"], wanted.repository) &&
        isFile(claims["workflow_ref"], {
          folder: `${wanted.repository}/.github/workflows/`,
          file: wanted.workflow_ref.file,
        }) &&
        isWithin(claims, wanted.environment)
      );
    case "gitlab":
      return (
        isSame(claims["project_path"], wanted.project_path) &&
        isFile(claims["ci_config_ref_uri"], {
          folder: `${host}/${wanted.project_path}//`,
          file: wanted.ci_config_ref_uri.file,
        }) &&
        isWithin(claims, wanted.environment)
      );
    case "circleci": {
      const { "oidc.circleci.com/context-ids": contexts = [], ...exact } = wanted;
      const held = claims["oidc.circleci.com/context-ids"];
      return (
        Object.entries(exact).every(([claim, value]) => claims[claim] === value) &&
        contexts.every((context) => Array.isArray(held) && held.includes(context)) &&
        // Somebody may be at the keyboard of a build that was run again for them.
        claims["oidc.circleci.com/ssh-rerun"] !== true
      );
    }
  }
}

/** The numbers behind the names: a repository that is deleted and made again, by somebody else, has others. */
export function pinsOf(
  { type }: Pick<Configuration, "type">,
  claims: JWTPayload,
): Readonly<Record<string, string>> {
  const names = {
    github: ["repository_id", "repository_owner_id"],
    gitlab: ["project_id", "namespace_id"],
    circleci: [],
  }[type];
  return Object.fromEntries(["iss", ...names].map((name) => [name, textOf(claims[name])]));
}

/** What a build says of itself, for a message. */
export function described({ type }: Pick<Configuration, "type">, claims: JWTPayload): string {
  const names = {
    github: ["repository", "workflow_ref", "environment"],
    gitlab: ["project_path", "ci_config_ref_uri", "environment"],
    circleci: [
      "oidc.circleci.com/org-id",
      "oidc.circleci.com/project-id",
      "oidc.circleci.com/pipeline-definition-id",
      "oidc.circleci.com/vcs-origin",
    ],
  }[type];
  return names.map((name) => `${name} ${textOf(claims[name]).slice(0, 250)}`).join(", ");
}

/** GitLab and GitHub write numbers as texts, and did not always. */
function textOf(claim: unknown): string {
  return typeof claim === "string" || typeof claim === "number" ? String(claim) : "none";
}

function isSame(claim: unknown, wanted: string): boolean {
  return typeof claim === "string" && claim.toLowerCase() === wanted.toLowerCase();
}

/** `owner/name/.github/workflows/release.yml@refs/heads/main` */
function isFile(
  claim: unknown,
  { folder, file }: { readonly folder: string; readonly file: string },
): boolean {
  if (typeof claim !== "string") return false;
  const start = claim.slice(0, folder.length);
  return isSame(start, folder) && claim.slice(folder.length).startsWith(`${file}@`);
}

function isWithin(claims: JWTPayload, environment: string | undefined): boolean {
  return environment === undefined || isSame(claims["environment"], environment);
}
