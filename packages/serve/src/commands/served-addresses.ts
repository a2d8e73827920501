import { formatTable, paint } from "@envs/cli/kit";

/** An environment's URL for each protocol with a path per environment. */
export interface EnvironmentAddresses {
  readonly name: string;
  readonly openenv: string;
  readonly nemo: string;
}

/** The URLs of a server of environments. */
export interface ServedAddresses {
  readonly url: string;
  readonly environments: readonly EnvironmentAddresses[];
  readonly ors: string;
  readonly web: string;
}

/** Lists the URLs of a server. The first environment is at the root as well, for clients that support no path. */
export function servedAddresses(url: string, names: readonly string[]): ServedAddresses {
  const environments = names.map((name, index) => ({
    name,
    openenv: index === 0 ? url : `${url}/${name}`,
    nemo: `${url}/nemo/${name}`,
  }));
  return { url, environments, ors: url, web: `${url}/web` };
}

/** Formats the URLs of a server, with a suggestion to try it. */
export function addressTable({ url, environments, ors, web }: ServedAddresses): string {
  const table = formatTable(
    [
      ["environment", "OpenEnv", "NeMo Gym"],
      ...environments.map(({ name, openenv, nemo }) => [name, openenv, nemo]),
    ],
    "text",
  );
  const [heading = "", ...rows] = table.split("\n");
  const [first] = environments;
  return [
    paint("dim", heading),
    ...rows,
    "",
    `${paint("dim", "ORS".padEnd(9))} ${ors}`,
    `${paint("dim", "web page".padEnd(9))} ${web}`,
    "",
    paint("dim", `Try it: open ${web}, or envs export trl ${first?.name ?? ""} --url ${url}`),
  ].join("\n");
}
