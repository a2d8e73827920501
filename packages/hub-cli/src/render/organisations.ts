import type { HubClient, Organisation } from "@envs/hub-client";
import { clean, formatTable, paint } from "@envs/terminal";

type Memberships = Awaited<ReturnType<HubClient["listOrganisations"]>>["items"];

/** The user's organisations and roles. The hub's administrators see all, without a role. */
export function organisationTable(items: Memberships): string {
  if (items.length === 0)
    return "You are not a member of an organisation. Create one: envs org create <name>";
  return formatTable(
    items.map(({ name, role }) => [paint("bold", clean(name)), role ?? "administrator"]),
    "text",
  );
}

/** The members and teams of an organisation. */
export function memberTable({ name, members, teams }: Organisation): string {
  return [
    paint("bold", clean(name)),
    formatTable(
      members.map((member) => [clean(member.name), member.role]),
      "text",
    ),
    ...(teams.length === 0 ? [] : ["", `teams: ${teams.map(clean).join(", ")}`]),
  ].join("\n");
}
