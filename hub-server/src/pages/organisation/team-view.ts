import type { SeenOrganisation } from "./organisation-page.tsx";

/** A team and what a visitor may see of it. */
export interface TeamView {
  readonly organisation: SeenOrganisation;
  /** The team's name. */
  readonly team: string;
  readonly members: readonly string[];
  /** The team's permissions by the names of packages. */
  readonly packages: Readonly<Record<string, "read" | "write">>;
  /** The packages of the organisation to which the team may get access. */
  readonly otherPackages: readonly string[];
  /** The members of the organisation who are not in the team. */
  readonly otherMembers: readonly string[];
}

/** The path of a team's page. */
export function teamPath(organisation: string, team: string): string {
  return `/org/${encodeURIComponent(organisation)}/team/${encodeURIComponent(team)}`;
}
