import { routes } from "@envs/hub-client";
import { paint, parseAction, positionals, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";
import semver from "semver";

import { connect, connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { namedPackage } from "../packages/find-package.ts";
import { scopeOf } from "../packages/package-spec.ts";
import { advisoryInWords, advisoryTable } from "../render/advisories.ts";

const severities = routes.publishAdvisory.body.shape.severity.options;

const options = {
  action: {
    type: "positional",
    required: false,
    description: "list (unless you say another), create or withdraw",
  },
  package: { type: "positional", required: false, description: "The package that it is about" },
  id: { type: "positional", required: false, description: "The number of the one to withdraw" },
  title: {
    type: "string",
    description: "What is wrong, in one sentence, such as 'The reward leaks the answer'",
    valueHint: "text",
  },
  versions: {
    type: "string",
    description: "The versions that it concerns, such as '<=0.3.1'",
    valueHint: "range",
  },
  mended: {
    type: "string",
    description: "The versions in which it is mended, such as '>=0.3.2'",
    valueHint: "range",
  },
  severity: {
    type: "string",
    description: `How bad it is: ${severities.join(", ")} (default moderate)`,
  },
  text: { type: "string", description: "What to do, and more about it, as Markdown" },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "advisory",
    description:
      "Warn whoever has certain versions of your package, say of wrong rewards. envs install, envs doctor, envs info and npm audit show it",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const [word, written, number] = positionals(rawArgs, options);
    const action = parseAction("advisory", word, ["list", "create", "withdraw"]);
    if (written === undefined)
      throw new UsageError(`Name a package: envs advisory ${action} @you/your-environment`);
    const { registry, otp, json } = args;
    const wanted = action === "create" ? wantedIn(args) : undefined;
    const id = action === "withdraw" ? idIn(number, written) : undefined;
    const way = { command: `envs advisory ${action}`, registry, otp, scope: scopeOf(written) };
    const connection = await (action === "list" ? connect : connectAsUser)(way);
    const { client } = connection;
    const found = await namedPackage(connection, written);
    const { name } = found;
    const say = (object: object, text: string): void =>
      void process.stdout.write(json === true ? `${JSON.stringify(object)}\n` : `${text}\n`);
    const done = (text: string): string => `${paint("green", "✓")} ${text}`;
    if (wanted !== undefined) {
      const made = await client.publishAdvisory({ name, ...wanted });
      say(made, done(advisoryInWords(made, found.versions)));
    } else if (id !== undefined) {
      const withdrawn = await client.withdrawAdvisory({ name, id });
      say(withdrawn, done(`Advisory ${id} of ${name} is withdrawn.`));
    } else {
      const { items } = await client.listAdvisories({ name });
      say({ advisories: items }, advisoryTable(name, items));
    }
  },
});

function wantedIn({
  title,
  versions,
  mended,
  severity,
  text,
}: Readonly<Record<"title" | "versions" | "mended" | "severity" | "text", string | undefined>>) {
  if (title === undefined || versions === undefined)
    throw new UsageError(
      "Say what is wrong, and in which versions: envs advisory create @you/your-environment --title 'The reward leaks the answer' --versions '<=0.3.1'",
    );
  for (const [option, range] of Object.entries({ versions, mended }))
    if (range !== undefined && semver.validRange(range) === null)
      throw new UsageError(
        `--${option} is ${JSON.stringify(range)}. It must be a range of versions, such as '<=0.3.1'.`,
      );
  return {
    title,
    vulnerableVersions: versions,
    severity: severityIn(severity),
    ...(mended !== undefined && { patchedVersions: mended }),
    ...(text !== undefined && { overview: text }),
  };
}

function severityIn(text = "moderate"): (typeof severities)[number] {
  const severity = severities.find((each) => each === text);
  if (severity !== undefined) return severity;
  throw new UsageError(
    `--severity is ${JSON.stringify(text)}. It must be one of: ${severities.join(", ")}.`,
  );
}

function idIn(text: string | undefined, name: string): number {
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new UsageError(
    `Which one? envs advisory withdraw ${name} <id>; the ids are in: envs advisory list ${name}`,
  );
}
