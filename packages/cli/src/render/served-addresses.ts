import { formatTable, paint } from "@envs/terminal";

/** Where each protocol finds an environment. */
export interface ServedAt {
  readonly name: string;
  readonly openenv: string;
  readonly nemo: string;
}

/** All addresses of a server of environments. */
export interface ServedAddresses {
  readonly url: string;
  readonly environments: readonly ServedAt[];
  readonly ors: string;
  readonly web: string;
}

/** Which address serves what. The first environment is at the root too, for clients that take no path. */
export function addresses(url: string, names: readonly string[]): ServedAddresses {
  const environments = names.map((name, place): ServedAt => {
    return {
      name,
      openenv: place === 0 ? url : `${url}/${name}`,
      nemo: `${url}/nemo/${name}`,
    };
  });
  return { url, environments, ors: url, web: `${url}/web` };
}

/** What is served where, and how to try it. */
export function servedTable({ url, environments, ors, web }: ServedAddresses): string {
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
