import { shellArgument } from "@envs/web/config-form";
import type { ReactNode } from "react";

import { Command } from "../../layout/elements.tsx";

/** The commands of each package manager, as tabs that are radio buttons: they work without scripts. */
export function InstallBox(props: Parameters<typeof installCommands>[0]): ReactNode {
  return (
    <fieldset className="install">
      <legend className="unseen">Package manager</legend>
      {installCommands(props).map(({ manager, ...commands }, index) => (
        <div key={manager} className="install-choice">
          <input
            type="radio"
            name="package-manager"
            id={`install-${manager}`}
            defaultChecked={index === 0}
          />
          <label htmlFor={`install-${manager}`}>{manager}</label>
          <Panel {...commands} />
        </div>
      ))}
    </fieldset>
  );
}

function Panel({ mapping, command, note }: Omit<InstallCommands, "manager">): ReactNode {
  return (
    <div className="install-panel">
      {mapping !== undefined && (
        <>
          <p className="label">
            Once, in <code>{mapping.file}</code>
          </p>
          <div className="command">
            <code className="lines">{mapping.lines}</code>
            <button type="button" className="second small" data-copy={`${mapping.lines}\n`}>
              Copy
            </button>
          </div>
          <p className="label">Then</p>
        </>
      )}
      <Command text={command} />
      {note !== undefined && <p className="quiet small">{note}</p>}
    </div>
  );
}

/** How a package manager installs a package from this hub. */
interface InstallCommands {
  readonly manager: "npm" | "pnpm" | "Yarn" | "bun" | "envs";
  /** The file that maps the scope to the hub, and the lines to add to it. */
  readonly mapping: { readonly file: string; readonly lines: string } | undefined;
  readonly command: string;
  readonly note: string | undefined;
}

/** The commands of each package manager, and the lines that map the package's scope to this hub. */
function installCommands({
  name,
  version,
  origin,
}: {
  readonly name: string;
  /** Undefined for the latest version. */
  readonly version: string | undefined;
  readonly origin: string;
}): readonly InstallCommands[] {
  const spec = shellArgument(version === undefined ? name : `${name}@${version}`);
  const [, scope] = /^@([^/]+)\//.exec(name) ?? [];
  const registry = scope === undefined ? ` --registry ${origin}` : "";
  const npmrc =
    scope === undefined ? undefined : { file: ".npmrc", lines: `@${scope}:registry=${origin}/` };
  return [
    {
      manager: "npm",
      mapping: npmrc,
      command: `npm install ${spec}${registry}`,
      note: undefined,
    },
    {
      manager: "pnpm",
      mapping: npmrc,
      command: `pnpm add ${spec}${registry}`,
      note: "pnpm does not install versions that are younger than a day, unless minimumReleaseAgeExclude lists them.",
    },
    {
      manager: "Yarn",
      mapping:
        scope === undefined ? undefined : { file: ".yarnrc.yml", lines: yarnrc(scope, origin) },
      command: `yarn add ${spec}`,
      note: "Yarn 4 does not install versions that are younger than a day, unless npmPreapprovedPackages lists them. Yarn 1 reads .npmrc.",
    },
    {
      manager: "bun",
      mapping: npmrc,
      command: `bun add ${spec}${registry}`,
      note: undefined,
    },
    {
      manager: "envs",
      mapping: undefined,
      command: `envs install ${spec} --registry ${origin}`,
      note: "Adds the line for the scope, and then runs the package manager of the project.",
    },
  ];
}

function yarnrc(scope: string, origin: string): string {
  const { protocol, hostname } = new URL(origin);
  const plainHttp = protocol === "http:" ? `\nunsafeHttpWhitelist:\n  - ${hostname}` : "";
  return `npmScopes:\n  ${scope}:\n    npmRegistryServer: "${origin}"${plainHttp}`;
}
