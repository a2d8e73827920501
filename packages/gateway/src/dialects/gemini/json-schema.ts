type Schema = Readonly<Record<string, unknown>>;

/** Converts a schema of Gemini's API, whose types are in upper case, to JSON Schema. */
export function jsonSchemaOf(schema: Schema): Schema {
  const { type, nullable, ...rest } = schema;
  const converted = Object.entries(rest).map(([key, value]) => [key, convert(key, value)]);
  const name = typeof type === "string" ? type.toLowerCase() : type;
  return {
    ...(name === undefined ? {} : { type: nullable === true ? [name, "null"] : name }),
    ...(Object.fromEntries(converted) as Schema),
  };
}

function convert(key: string, value: unknown): unknown {
  if (key === "properties" && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [
        name,
        isObject(schema) ? jsonSchemaOf(schema) : schema,
      ]),
    );
  if (key === "anyOf" && Array.isArray(value))
    return value.map((schema: unknown) => (isObject(schema) ? jsonSchemaOf(schema) : schema));
  return key === "items" && isObject(value) ? jsonSchemaOf(value) : value;
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
