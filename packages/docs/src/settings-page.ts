import { settings } from "../../../hub-server/src/platform/config/settings.ts";

const commandVariables: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: "Key of the model's server, if `--api-key-var` does not name another variable",
  OPENAI_BASE_URL: "URL of the model's server, if `--base-url` is not passed",
  ENVS_QUEUE: "The queue, if `--queue` is not passed",
  ENVS_QUEUE_TOKEN: "Token of this host, for a worker of `envs queue serve`",
  ENVS_CASSETTES: "Recorded replies in tests of `@envs/vitest`: `replay`, `auto` or `record`",
  ENVS_HUB: "URL of the hub, if `--registry` is not passed",
  ENVS_HUB_TOKEN: "Token for the hub, instead of the one that `envs hub login` saved; for CI",
  OTEL_EXPORTER_OTLP_ENDPOINT:
    "Collector to which `envs eval` exports rollouts by OpenTelemetry; with the other variables of OTLP exporters",
  NO_COLOR: "Disables colours in the output",
  FORCE_COLOR: "Enables colours although the output is not a terminal",
};

/** Makes the page of the settings: files and variables of the command line, and the variables of a hub. */
export function settingsPage(): string {
  const hubRows = Object.entries(settings.shape).map(
    ([name, schema]) => [`\`${name}\``, schema.description ?? "", defaultOf(schema)] as const,
  );
  return `# Settings

## The command line

Options of a command take precedence over variables, and variables over files. Models and recurring evaluations are defined in
[\`envs.config.ts\`](/guides/evaluate-a-model.md#a-config-file); its fields are in the [API reference](/api/cli.md#configfile). Which
hub a scope of packages comes from is a line in [\`.npmrc\`](/guides/install-from-a-hub.md), as for every npm registry.

${table(
  ["Variable", "Meaning"],
  Object.entries(commandVariables).map(([name, text]) => [`\`${name}\``, text]),
)}

## A hub

\`envs hub server\` and \`envs-hub\` read these variables. [Operate a hub](/guides/operate-a-hub.md) explains the important ones.

${table(["Variable", "Meaning", "Default"], hubRows)}
`;
}

/** The default of a setting as its reader writes it, if it has one. */
function defaultOf(schema: { safeParse(value: unknown): { data?: unknown } }): string {
  const { data } = schema.safeParse(undefined);
  return data === undefined ? "–" : `\`${JSON.stringify(data).replaceAll('"', "")}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("<", "&lt;").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
