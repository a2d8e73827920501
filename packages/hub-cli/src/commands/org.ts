import { paint, parseAction, positionals, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";
import * as z from "zod";

import {
  connectAsUser,
  type Connection,
  hubArguments,
  otpArgument,
} from "../connection/connect.ts";
import { memberTable, organisationTable } from "../render/organisations.ts";

const roles = ["developer", "admin", "owner"] as const;

const options = {
  action: {
    type: "positional",
    required: false,
    description: "list (unless you say another), create, add, remove or role",
  },
  organisation: { type: "positional", required: false, description: "Its name, which is a scope" },
  user: { type: "positional", required: false, description: "Whom to add, remove or give a role" },
  role: {
    type: "string",
    description: `What the user may do: ${roles.join(", ")} (default ${roles[0]})`,
  },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "org",
    description:
      "Organisations own scopes: developers publish, admins manage teams and packages, owners members too. list shows yours, or the members of one",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const [word, organisation, user, given] = positionals(rawArgs, options);
    const action = parseAction("org", word, ["list", "create", "add", "remove", "role"]);
    const { registry, otp } = args;
    const name = organisation?.replace(/^@/, "");
    const role = roleIn(args.role ?? given);
    if (action !== "list") refuseMissing(action, { name, user, role });
    const connection = await connectAsUser({ command: `envs org ${action}`, registry, otp });
    const say = (json: object, text: string): void =>
      void process.stdout.write(args.json === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
    const done = (text: string): string => `${paint("green", "✓")} ${text}`;
    if (name === undefined) {
      const { items } = await connection.client.listOrganisations();
      say({ organisations: items }, organisationTable(items));
    } else if (action === "list") {
      const found = await connection.client.readOrganisation({ organisation: name });
      say(found, memberTable(found));
    } else if (action === "create") {
      const made = await connection.client.createOrganisation({ name });
      say(made, done(`${name} is yours, and with it the scope @${name}.`));
    } else if (action === "remove") {
      await changeMember(connection, { name, user, method: "DELETE" });
      say({ organisation: name, user, role: null }, done(`${user} is out of ${name}.`));
    } else {
      const set = await changeMember(connection, { name, user, role, method: "PUT" });
      say({ organisation: name, user, role: set }, done(`${user} is in ${name} as ${set}.`));
    }
  },
});

const membership = z.object({ role: z.enum(roles) }).nullable();

/** By npm's route, which names no other way to do it. Resolves to the role that the user has. */
async function changeMember(
  { ask }: Connection,
  {
    name,
    method,
    user,
    role,
  }: Readonly<Record<"name", string>> & {
    readonly method: "PUT" | "DELETE";
    readonly user: string | undefined;
    readonly role?: string | undefined;
  },
): Promise<string | undefined> {
  const path = `/-/org/${encodeURIComponent(name)}/user` as const;
  return (await ask({ method, path, body: { user, role } }, membership))?.role;
}

function roleIn(text: string | undefined): (typeof roles)[number] | undefined {
  const role = roles.find((each) => each === text);
  if (text === undefined || role !== undefined) return role;
  throw new UsageError(
    `There is no role ${JSON.stringify(text)}. Choose one of: ${roles.join(", ")}.`,
  );
}

/** What each action cannot do without. */
const usages = {
  create: { needs: ["name"], words: "create <organisation>" },
  add: { needs: ["name", "user"], words: "add <organisation> <user> [--role developer]" },
  remove: { needs: ["name", "user"], words: "remove <organisation> <user>" },
  role: { needs: ["name", "user", "role"], words: "role <organisation> <user> <role>" },
} as const;

function refuseMissing(
  action: keyof typeof usages,
  given: Readonly<Record<"name" | "user" | "role", string | undefined>>,
): void {
  const { needs, words } = usages[action];
  if (needs.every((each) => given[each] !== undefined)) return;
  throw new UsageError(`Something is missing. Write: envs org ${words}`);
}
