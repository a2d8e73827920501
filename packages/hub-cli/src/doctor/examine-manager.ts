import { type Place, shown } from "../config/context.ts";
import type { ManagerSettings, PackageManager } from "../managers/package-manager.ts";
import { minutesInWords, type ReleaseGate } from "../managers/release-gate.ts";
import { linesFor } from "../managers/scope-registries.ts";
import { bad, type Finding, good, note } from "./finding.ts";

/** What a package manager would do here. */
export interface ManagerReport {
  readonly version: string;
  /** Where it gets the scope's packages; null: from where it gets every other. */
  readonly registry: string | null;
  /** The file that says so, if one does. */
  readonly file: string | null;
  /** Null: it cannot be found out. */
  readonly hasToken: boolean | null;
  readonly gate: ReleaseGate | null;
  readonly findings: readonly Finding[];
}

/** Asks a package manager what it would do with a scope of a hub's; `undefined` if it does not run here. */
export async function examineManager(
  manager: PackageManager,
  place: Place,
  { scope, url }: { readonly scope: string; readonly url: string },
): Promise<ManagerReport | undefined> {
  const settings = await manager.settings(place, scope);
  if (settings === undefined) return undefined;
  const { version, registry = null, gate = null } = settings;
  const lines = (await linesFor(manager, place)).filter((line) => line.scope === scope);
  const file = lines.find((line) => sameOrigin(line.registry, registry))?.file ?? null;
  const isRight = sameOrigin(registry, url);
  const hasToken = settings.hasToken(url) ?? null;
  return {
    version,
    registry,
    file,
    hasToken,
    gate,
    findings: [
      isRight
        ? good(`${scope} comes from ${url} (${placeOf(file, place)})`)
        : bad(elsewhere(manager, { scope, url, registry, from: placeOf(file, place) })),
      ...(isRight ? [httpFinding(manager, settings, url)] : []).flat(),
      tokenFinding(manager, hasToken, scope),
      gateFinding(gate),
    ],
  };
}

function elsewhere(
  { title }: PackageManager,
  {
    scope,
    url,
    registry,
    from,
  }: Readonly<Record<"scope" | "url" | "from", string>> & { readonly registry: string | null },
): string {
  const line =
    title === "Yarn 4"
      ? `into .yarnrc.yml: npmScopes: { ${scope.slice(1)}: { npmRegistryServer: "${url}" } }`
      : `into .npmrc: ${scope}:registry=${url}/`;
  return registry === null
    ? `nothing says where ${scope} comes from. Write ${line}`
    : `${scope} comes from ${registry} (${from}), not from ${url}. Write ${line}`;
}

function httpFinding({ title }: PackageManager, settings: ManagerSettings, url: string): Finding[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || settings.allowsHttp(hostname)) return [];
  return [
    bad(
      `${title} speaks plain HTTP with none but the hosts of a list. Write into .yarnrc.yml: unsafeHttpWhitelist: [${hostname}]`,
    ),
  ];
}

function tokenFinding({ title }: PackageManager, hasToken: boolean | null, scope: string): Finding {
  if (hasToken === true) return good("it has a token");
  return note(
    title === "Yarn 4"
      ? `it has no token for ${scope}, and does not read .npmrc. For what is private: yarn npm login --scope ${scope.slice(1)} --web-login`
      : "it has no token, so that it sees what is public. For what is private: envs login",
  );
}

function gateFinding(gate: ReleaseGate | null): Finding {
  if (gate === null) return good("it takes versions of any age");
  const { minutes, isSoft, setting, excluded } = gate;
  const except = excluded.length === 0 ? "" : `, but ${excluded.join(", ")} at any age`;
  const otherwise = isSoft ? " where there are any" : "";
  return note(
    `it takes versions that are ${minutesInWords(minutes)} old${otherwise} (${setting})${except}. For newer ones: envs install --allow-new`,
  );
}

function placeOf(file: string | null, place: Place): string {
  return file === null ? "a variable, or the configuration of the machine" : shown(file, place);
}

function sameOrigin(a: string | null, b: string | null): boolean {
  const [left, right] = [a, b].map((url) => (url === null ? null : URL.parse(url)?.origin));
  return left != null && left === right;
}
