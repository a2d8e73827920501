import { isAbsolute, relative } from "node:path";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A config's JSON Schema as it may leave this machine: a default that is a path within the package is written from the
 * package's root, so that it is the same wherever the package is built.
 */
export function portable(schema: JsonObject, root: string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, portableValue(value, root)]),
  );
}

function portableValue(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((each) => portableValue(each, root));
  if (typeof value === "object" && value !== null) return portable(value as JsonObject, root);
  if (typeof value !== "string" || !isAbsolute(value)) return value;
  const path = relative(root, value);
  return path.startsWith("..") || isAbsolute(path) ? value : path.replaceAll("\\", "/");
}
