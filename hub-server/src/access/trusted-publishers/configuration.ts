import * as z from "zod";

import type { Row } from "../../platform/database/tables.ts";

const file = z
  .string()
  .max(250)
  .regex(/^[^/\\]+\.ya?ml$/, "the name of a .yml file, without a path");
const environment = z.string().min(1).max(255).optional();
const uuid = z.uuid();
const permissions = z
  .array(z.enum(["createPackage", "createStagedPackage"]))
  .min(1)
  .max(2)
  .default(["createPackage"]);

const github = z.object({
  type: z.literal("github"),
  claims: z.object({
    repository: z
      .string()
      .max(250)
      .regex(/^[\w.-]+\/[\w.-]+$/, "owner/name"),
    workflow_ref: z.object({ file }),
    environment,
  }),
  permissions,
});

const gitlab = z.object({
  type: z.literal("gitlab"),
  claims: z.object({
    project_path: z
      .string()
      .max(1000)
      .regex(/^[\w.-]+(?:\/[\w.-]+)+$/, "group/name"),
    ci_config_ref_uri: z.object({ file }),
    environment,
  }),
  permissions,
});

const circleci = z.object({
  type: z.literal("circleci"),
  claims: z.object({
    "oidc.circleci.com/org-id": uuid,
    "oidc.circleci.com/project-id": uuid,
    "oidc.circleci.com/pipeline-definition-id": uuid,
    "oidc.circleci.com/vcs-origin": z.string().min(1).max(1000),
    "oidc.circleci.com/context-ids": z.array(uuid).max(50).optional(),
  }),
  permissions,
});

/** A trusted publisher: the builds that may publish a package, in the format of `npm trust`. */
export const configuration = z.discriminatedUnion("type", [github, gitlab, circleci]);

/** The request body of `npm trust`. */
export const configurations = z.array(configuration).min(1).max(10);

export type Configuration = z.output<typeof configuration>;

/** A stored configuration. */
export type TrustedPublisher = Configuration & {
  readonly id: string;
  readonly creatorId: number;
  /** The ids of the repository and its owner at the last exchange. Null before the first. */
  readonly pinnedClaims: Readonly<Record<string, string>> | null;
};

export function trustedPublisher(row: Row<"trusted_publishers">): TrustedPublisher {
  const { id, created_by, pinned_claims, type, claims, permissions } = row;
  const parsed = configuration.parse({ type, claims, permissions });
  return { ...parsed, id, creatorId: created_by, pinnedClaims: pinned_claims };
}
