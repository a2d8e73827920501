import { defineCommand } from "citty";

import { here } from "../config/context.ts";
import { scopeLines } from "../config/scope-registries.ts";
import { connectTo, hubArguments } from "../connection/connect.ts";
import { whichHub } from "../connection/hub-address.ts";
import { findToken } from "../connection/token-store.ts";
import { examineFiles } from "../doctor/examine-files.ts";
import { examineHub } from "../doctor/examine-hub.ts";
import { examineManager } from "../doctor/examine-manager.ts";
import { examinePackages } from "../doctor/examine-packages.ts";
import { managersHere, packageManagerOf } from "../managers/detect.ts";
import { doctorReport } from "../render/doctor.ts";

export const command = defineCommand({
  meta: {
    name: "doctor",
    description:
      "Ask each package manager on this machine where it would get environments, and the hub whether it answers, and what it knows against the versions that this project has; say what to change. Fails if the hub, or this project's package manager, would",
  },
  args: {
    scope: {
      type: "string",
      description: "The scope to ask about (default: one that comes from the hub, or @envs)",
      valueHint: "@scope",
    },
    ...hubArguments,
  },
  async run({ args }): Promise<number> {
    const { registry, json } = args;
    const place = here();
    const named = args.scope === undefined ? undefined : `@${args.scope.replace(/^@/, "")}`;
    const address = await whichHub(place, { registry, scope: named });
    const { url } = address;
    const lines = await scopeLines(place);
    const ofHub = lines.filter((each) => URL.parse(each.registry)?.origin === url);
    const scope = named ?? ofHub[0]?.scope ?? "@envs";
    const scopes = new Set([scope, ...ofHub.map((line) => line.scope)]);
    const token = await findToken(place, address);
    const connection = connectTo(address, { command: "envs doctor", token: token?.token });
    const own = await packageManagerOf(place, undefined);
    const [hub, packages, files, managers] = await Promise.all([
      examineHub(connection, place, token),
      examinePackages(connection, place.folder, scopes),
      examineFiles(place),
      Promise.all(
        (await managersHere(place)).map(async (manager) => ({
          title: manager.title,
          isOwn: manager.title === own.title,
          report: await examineManager(manager, place, { scope, url }),
        })),
      ),
    ]);
    const report = { url, from: address.from, scope, hub, packages, files, managers };
    const counted = [
      ...hub,
      ...files,
      ...managers.flatMap(({ isOwn, report: of }) => (isOwn ? (of?.findings ?? []) : [])),
    ];
    const isWell = counted.every(({ state }) => state !== "bad");
    process.stdout.write(
      json === true ? `${JSON.stringify({ isWell, ...report })}\n` : `${doctorReport(report)}\n`,
    );
    return isWell ? 0 : 1;
  },
});
