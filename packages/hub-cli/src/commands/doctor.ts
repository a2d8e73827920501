import { defineCommand, ownScope, printResult, valueOption } from "@envs/cli/kit";

import { processContext } from "../config/context.ts";
import { isAtOrigin, readScopeRegistries } from "../config/scope-registries.ts";
import { connectTo, hubArguments } from "../connection/connect.ts";
import { resolveHub } from "../connection/resolve-hub.ts";
import { readToken } from "../connection/token-store.ts";
import { checkManager } from "../doctor/check-manager.ts";
import { checkFiles, checkHub, checkPackages } from "../doctor/checks.ts";
import { formatDoctorReport } from "../doctor/doctor-text.ts";
import { candidateManagers, detectManager } from "../managers/detect.ts";
import { normaliseScope } from "../packages/find-package.ts";

export const command = defineCommand({
  meta: {
    name: "hub doctor",
    description:
      "Check the hub, the configuration of each package manager for it, and the hub's warnings for the installed versions; print what to change. Exits with 1 if the hub or this project's package manager has a problem",
  },
  args: {
    scope: valueOption(
      `The scope to check (default: one that is mapped to the hub, or ${ownScope})`,
      "@scope",
    ),
    ...hubArguments,
  },
  async run({ args }): Promise<number> {
    const context = processContext();
    const requestedScope = args.scope === undefined ? undefined : normaliseScope(args.scope);
    const address = await resolveHub(context, { registry: args.registry, scope: requestedScope });
    const { url } = address;
    const registries = await readScopeRegistries(context);
    const hubScopes = registries
      .filter(({ registry }) => isAtOrigin(registry, url))
      .map(({ scope }) => scope);
    const scope = requestedScope ?? hubScopes[0] ?? ownScope;
    const token = await readToken(context, address);
    const connection = connectTo(address, { command: "envs hub doctor", token: token?.token });
    const projectManager = await detectManager(context, undefined);
    const [hub, packages, files, managers] = await Promise.all([
      checkHub(connection, context, token),
      checkPackages(connection, context.folder, new Set([scope, ...hubScopes])),
      checkFiles(context),
      Promise.all(
        (await candidateManagers(context)).map(async (manager) => ({
          title: manager.title,
          isOwn: manager.title === projectManager.title,
          report: await checkManager(manager, context, { scope, url }),
        })),
      ),
    ]);
    const report = { url, from: address.source, scope, hub, packages, files, managers };
    const decisive = [
      ...hub,
      ...files,
      ...managers.flatMap((manager) => (manager.isOwn ? (manager.report?.findings ?? []) : [])),
    ];
    const isWell = decisive.every(({ state }) => state !== "bad");
    printResult(args.json, { isWell, ...report }, formatDoctorReport(report));
    return isWell ? 0 : 1;
  },
});
