import {
  argument,
  clean,
  defineCommand,
  formatTable,
  paint,
  parseAction,
  printResult,
  success,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import type { HubClient, Organisation } from "@envs/hub-client";
import * as z from "zod";

import {
  connectAsUser,
  type Connection,
  hubArguments,
  otpArgument,
} from "../connection/connect.ts";

const roles = ["developer", "admin", "owner"] as const;
type Role = (typeof roles)[number];

export const command = defineCommand({
  meta: {
    name: "hub org",
    description:
      "Manage organisations and their members. Developers publish; admins also manage teams and packages; owners also manage members. list shows your organisations, or the members of one",
  },
  args: {
    action: argument("list, create, add, remove or role (default list)"),
    organisation: argument("The name of the organisation, which is also its scope"),
    user: argument("The user to add, remove or change"),
    role: valueOption(`One of: ${roles.join(", ")} (default ${roles[0]})`),
    ...otpArgument,
    ...hubArguments,
  },
  maxPositionals: 4,
  async run({ args }): Promise<void> {
    const [word, organisation, user, roleWord] = args._;
    const action = parseAction("hub org", word, ["list", "create", "add", "remove", "role"]);
    const { registry, otp, json } = args;
    const name = organisation?.replace(/^@/, "");
    const role = parseRole(args.role ?? roleWord);
    if (action !== "list") checkArguments(action, { name, user, role });
    const connection = await connectAsUser({ command: `envs hub org ${action}`, registry, otp });
    const { client } = connection;
    if (name === undefined) {
      const { items } = await client.listOrganisations();
      printResult(json, { organisations: items }, organisationTable(items));
    } else if (action === "list") {
      const detail = await client.readOrganisation({ organisation: name });
      printResult(json, detail, memberTable(detail));
    } else if (action === "create") {
      const created = await client.createOrganisation({ name });
      printResult(json, created, success(`Created ${name}, which owns the scope @${name}.`));
    } else if (action === "remove") {
      await changeMember(connection, "DELETE", { name, user });
      const result = { organisation: name, user, role: null };
      printResult(json, result, success(`Removed ${user} from ${name}.`));
    } else {
      const newRole = await changeMember(connection, "PUT", { name, user, role });
      const result = { organisation: name, user, role: newRole };
      printResult(json, result, success(`${user} is in ${name} as ${newRole}.`));
    }
  },
});

const membership = z.object({ role: z.enum(roles) }).nullable();

interface MemberArguments {
  readonly name: string | undefined;
  readonly user: string | undefined;
  readonly role?: Role | undefined;
}

/** Adds, changes or removes a member by npm's route. Returns the new role. */
async function changeMember(
  { request }: Connection,
  method: "PUT" | "DELETE",
  { name, user, role }: MemberArguments & { readonly name: string },
): Promise<string | undefined> {
  const path = `/-/org/${encodeURIComponent(name)}/user` as const;
  return (await request({ method, path, body: { user, role } }, membership))?.role;
}

function parseRole(text: string | undefined): Role | undefined {
  const role = roles.find((candidate) => candidate === text);
  if (text === undefined || role !== undefined) return role;
  throw new UsageError(
    `Unknown role ${JSON.stringify(text)}. It must be one of: ${roles.join(", ")}.`,
  );
}

const usages = {
  create: { required: ["name"], usage: "create <organisation>" },
  add: { required: ["name", "user"], usage: "add <organisation> <user> [--role developer]" },
  remove: { required: ["name", "user"], usage: "remove <organisation> <user>" },
  role: { required: ["name", "user", "role"], usage: "role <organisation> <user> <role>" },
} as const;

function checkArguments(action: keyof typeof usages, values: MemberArguments): void {
  const { required, usage } = usages[action];
  const missing = required.find((argument) => values[argument] === undefined);
  if (missing === undefined) return;
  throw new UsageError(
    `Missing ${missing === "name" ? "organisation" : missing}. Write: envs hub org ${usage}`,
  );
}

type Memberships = Awaited<ReturnType<HubClient["listOrganisations"]>>["items"];

/** The user's organisations and roles. The hub's administrators see all, without a role. */
function organisationTable(items: Memberships): string {
  if (items.length === 0)
    return "You are not a member of an organisation. Create one: envs hub org create <name>";
  return formatTable(
    items.map(({ name, role }) => [paint("bold", clean(name)), role ?? "administrator"]),
    "text",
  );
}

/** The members and teams of an organisation. */
function memberTable({ name, members, teams }: Organisation): string {
  return [
    paint("bold", clean(name)),
    formatTable(
      members.map((member) => [clean(member.name), member.role]),
      "text",
    ),
    ...(teams.length === 0 ? [] : ["", `teams: ${teams.map(clean).join(", ")}`]),
  ].join("\n");
}
