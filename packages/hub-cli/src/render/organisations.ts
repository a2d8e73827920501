import type { HubClient, Organisation } from "@envs/hub-client";
import { clean, formatTable, paint } from "@envs/terminal";

type Listed = Awaited<ReturnType<HubClient["listOrganisations"]>>["items"];

/** The organisations that somebody is in. */
export function organisationTable(items: Listed): string {
  if (items.length === 0) return "You are in no organisation. Make one: envs org create <name>";
  return formatTable(
    items.map(({ name, role }) => [paint("bold", clean(name)), role ?? "administrator"]),
    "text",
  );
}

/** Who is in an organisation, and its teams. */
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
