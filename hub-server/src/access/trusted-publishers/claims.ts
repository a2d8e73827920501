import type { JWTPayload } from "jose";

import type { Configuration } from "./configuration.ts";

/** A build in continuous integration, as its id token describes it. */
interface Build {
  readonly claims: JWTPayload;
  /** The host of the id token's issuer. */
  readonly host: string;
}

/** Whether a configuration describes a build. The names of repositories are compared without case, as their hosts do. */
export function matchesBuild(
  { type, claims: expected }: Configuration,
  { claims, host }: Build,
): boolean {
  switch (type) {
    case "github":
      return (
        equalsIgnoringCase(claims["repository"], expected.repository) &&
        isFileRef(
          claims["workflow_ref"],
          `${expected.repository}/.github/workflows/`,
          expected.workflow_ref.file,
        ) &&
        isInEnvironment(claims, expected.environment)
      );
    case "gitlab":
      return (
        equalsIgnoringCase(claims["project_path"], expected.project_path) &&
        isFileRef(
          claims["ci_config_ref_uri"],
          `${host}/${expected.project_path}//`,
          expected.ci_config_ref_uri.file,
        ) &&
        isInEnvironment(claims, expected.environment)
      );
    case "circleci": {
      const { "oidc.circleci.com/context-ids": expectedContexts = [], ...exact } = expected;
      const contexts = claims["oidc.circleci.com/context-ids"];
      return (
        Object.entries(exact).every(([claim, value]) => claims[claim] === value) &&
        expectedContexts.every(
          (context) => Array.isArray(contexts) && contexts.includes(context),
        ) &&
        // A user can control a build that was run again with SSH access.
        claims["oidc.circleci.com/ssh-rerun"] !== true
      );
    }
  }
}

/**
 * The claims with the permanent ids of the repository and its owner. A repository that is deleted and created again under
 * the same name has other ids.
 */
export function pinnedClaims(
  type: Configuration["type"],
  claims: JWTPayload,
): Readonly<Record<string, string>> {
  const names = {
    github: ["repository_id", "repository_owner_id"],
    gitlab: ["project_id", "namespace_id"],
    circleci: [],
  }[type];
  return Object.fromEntries(["iss", ...names].map((name) => [name, claimText(claims[name])]));
}

/** The claims to compare with a configuration, as text for a message. */
export function describeBuild(type: Configuration["type"], claims: JWTPayload): string {
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
  return names.map((name) => `${name} ${claimText(claims[name]).slice(0, 250)}`).join(", ");
}

/** GitHub and GitLab write ids as strings, but older versions wrote numbers. */
function claimText(claim: unknown): string {
  return typeof claim === "string" || typeof claim === "number" ? String(claim) : "none";
}

function equalsIgnoringCase(claim: unknown, expected: string): boolean {
  return typeof claim === "string" && claim.toLowerCase() === expected.toLowerCase();
}

/** Whether a claim names a file at any git ref: `owner/name/.github/workflows/release.yml@refs/heads/main`. */
function isFileRef(claim: unknown, folder: string, file: string): boolean {
  if (typeof claim !== "string") return false;
  const start = claim.slice(0, folder.length);
  return equalsIgnoringCase(start, folder) && claim.slice(folder.length).startsWith(`${file}@`);
}

function isInEnvironment(claims: JWTPayload, environment: string | undefined): boolean {
  return environment === undefined || equalsIgnoringCase(claims["environment"], environment);
}
