import { clean, paint } from "@envs/cli/kit";

import type { ServiceReport } from "./examine-service.ts";

/** Formats what a service can do, and what keeps a recipe from running there. */
export function serviceReportText(report: ServiceReport, recipe: string | undefined): string {
  const { baseURL, software, dialect, models, losses, hasArchives, trained, problems } = report;
  const line = (name: string, value: string): string =>
    `${paint("dim", name.padEnd(11))}${clean(value)}`;
  const listed = models.map(({ name, contextLength }) =>
    contextLength === undefined ? name : `${name} (up to ${contextLength} tokens)`,
  );
  const lines = [
    line("service", software === undefined ? baseURL : `${baseURL} (${software})`),
    line("dialect", dialect ?? "the service does not show it"),
    line("models", listed.join(", ") || "not listed"),
    line("adapters", adapterText(hasArchives, trained?.spareAdapter)),
  ];
  if (trained === undefined) lines.push(line("losses", losses?.join(", ") ?? "not listed"));
  else {
    const { name, loraRank, contextLength, stopTokens } = trained;
    const supported = Object.entries(trained.losses);
    lines.push(
      line("base model", `${name}, with a LoRA adapter of rank ${loraRank}`),
      line("context", `${contextLength} tokens; replies end with token ${stopTokens.join(" or ")}`),
      line(
        "losses",
        supported.map(([loss, no]) => `${no === null ? "✓" : "✗"} ${loss}`).join("  "),
      ),
    );
  }
  if (recipe !== undefined) lines.push(line("recipe", recipe));
  if (typeof trained?.spareAdapter === "string")
    lines.push(
      "",
      paint(
        "yellow",
        `! If this client is killed, --resume waits until the service ends the old session. ${clean(trained.spareAdapter)}`,
      ),
    );
  if (problems.length > 0)
    lines.push("", ...problems.map((text) => paint("red", `✗ ${clean(text)}`)));
  else if (trained === undefined)
    lines.push("", "Pass an environment and --base-model to examine a model and a recipe.");
  else
    lines.push(
      "",
      paint(
        "green",
        recipe === undefined ? "✓ The model can be trained." : "✓ The recipe can run here.",
      ),
    );
  return lines.join("\n");
}

function adapterText(hasArchives: boolean | undefined, refusal: string | null | undefined): string {
  const place =
    hasArchives === undefined
      ? "the service does not list its routes"
      : hasArchives
        ? "can be downloaded"
        : "stay on the service";
  if (refusal === undefined) return place;
  return `${refusal === null ? "two or more are free" : "one is free"}; ${place}`;
}
