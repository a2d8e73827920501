import { type CommandContext, displayPath } from "../config/context.ts";
import { isAtOrigin, scopeRegistriesOf } from "../config/scope-registries.ts";
import {
  formatMinutes,
  type ManagerSettings,
  type PackageManager,
  type ReleaseGate,
} from "../managers/package-manager.ts";
import { bad, type Finding, good, note } from "./checks.ts";

/** The settings of a package manager for a hub's scope. */
export interface ManagerReport {
  readonly version: string;
  /** The registry of the scope; null if the scope is not mapped. */
  readonly registry: string | null;
  /** The file that maps the scope; null if it is a variable or a file of the machine. */
  readonly file: string | null;
  /** Null if the package manager does not report it. */
  readonly hasToken: boolean | null;
  readonly gate: ReleaseGate | null;
  readonly findings: readonly Finding[];
}

/** Checks a package manager's settings for a scope of a hub; `undefined` if it is not installed. */
export async function checkManager(
  manager: PackageManager,
  context: CommandContext,
  { scope, url }: { readonly scope: string; readonly url: string },
): Promise<ManagerReport | undefined> {
  const settings = await manager.settings(context, scope);
  if (settings === undefined) return undefined;
  const { version, registry = null, gate = null } = settings;
  const origin = registry === null ? undefined : URL.parse(registry)?.origin;
  const mapping = (await scopeRegistriesOf(manager, context)).find(
    (candidate) =>
      candidate.scope === scope && origin !== undefined && isAtOrigin(candidate.registry, origin),
  );
  const file = mapping?.file ?? null;
  const source =
    file === null ? "a variable, or the configuration of the machine" : displayPath(file, context);
  const hasToken = settings.hasToken(url) ?? null;
  return {
    version,
    registry,
    file,
    hasToken,
    gate,
    findings: [
      ...(isAtOrigin(registry, url)
        ? [good(`${scope} comes from ${url} (${source})`), ...httpFindings(manager, settings, url)]
        : [bad(wrongRegistry(manager, { scope, url, registry, source }))]),
      tokenFinding(manager, hasToken, scope),
      gateFinding(gate),
    ],
  };
}

function wrongRegistry(
  { title }: PackageManager,
  {
    scope,
    url,
    registry,
    source,
  }: Readonly<Record<"scope" | "url" | "source", string>> & { readonly registry: string | null },
): string {
  const line =
    title === "Yarn 4"
      ? `.yarnrc.yml: npmScopes: { ${scope.slice(1)}: { npmRegistryServer: "${url}" } }`
      : `.npmrc: ${scope}:registry=${url}/`;
  return registry === null
    ? `no registry is configured for ${scope}. Add to ${line}`
    : `${scope} comes from ${registry} (${source}), not from ${url}. Add to ${line}`;
}

function httpFindings(
  { title }: PackageManager,
  settings: ManagerSettings,
  url: string,
): readonly Finding[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || settings.allowsHttp(hostname)) return [];
  return [
    bad(
      `${title} does not allow plain HTTP for ${hostname}. Add to .yarnrc.yml: unsafeHttpWhitelist: [${hostname}]`,
    ),
  ];
}

function tokenFinding({ title }: PackageManager, hasToken: boolean | null, scope: string): Finding {
  if (hasToken === true) return good("it has a token");
  return note(
    title === "Yarn 4"
      ? `it has no token for ${scope} and does not read .npmrc. For private packages: yarn npm login --scope ${scope.slice(1)} --web-login`
      : "it has no token, so it can use public packages only. For private packages: envs hub login",
  );
}

function gateFinding(gate: ReleaseGate | null): Finding {
  if (gate === null) return good("it accepts versions of any age");
  const { minutes, isSoft, setting, excluded } = gate;
  const exempt = excluded.length === 0 ? "" : `, except for ${excluded.join(", ")}`;
  const preference = isSoft ? "prefers versions" : "accepts only versions";
  return note(
    `it ${preference} that are at least ${formatMinutes(minutes)} old (${setting})${exempt}. For newer ones: envs install --allow-new`,
  );
}
