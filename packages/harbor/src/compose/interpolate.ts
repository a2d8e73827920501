import type { HostVariables } from "../task/host-variables.ts";

/** Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `$$` in all texts of a value, as Compose does: a missing variable is empty. */
export function interpolate(value: unknown, host: HostVariables): unknown {
  if (typeof value === "string") return interpolateText(value, host);
  if (Array.isArray(value)) return value.map((entry) => interpolate(entry, host));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, interpolate(entry, host)]),
  );
}

function interpolateText(text: string, host: HostVariables): string {
  return text.replaceAll(
    /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-+?])([^}]*))?\})/gu,
    (...groups: (string | undefined)[]) => {
      const [, escaped, plain, name = plain, operator, word = ""] = groups;
      if (escaped !== undefined) return "$";
      const found = host[name ?? ""];
      const isSet = operator?.startsWith(":") === true ? Boolean(found) : found !== undefined;
      if (operator?.endsWith("+") === true) return isSet ? word : "";
      if (operator?.endsWith("-") === true && !isSet) return word;
      return found ?? "";
    },
  );
}
