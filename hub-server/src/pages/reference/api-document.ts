/** The parts of JSON Schema that the hub's contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** A route of the API. */
export interface Operation {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

/** The parts of an OpenAPI document that the reference shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** A field of a schema. Fields of nested objects have the path as their name, such as `items[].name`. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

const maxDepth = 6;

/** The fields of an object, those of nested objects included. Named schemas are not opened. */
export function fieldsOf(schema: Schema, prefix = "", depth = 0): readonly Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, value]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const isRequired = required.includes(key);
    const { schema: inner, suffix } = objectIn(value);
    const nested =
      inner === undefined || depth === maxDepth ? [] : fieldsOf(inner, name + suffix, depth + 1);
    return [[{ name, schema: value, isRequired }], nested].flat();
  });
}

/** The object with fields that a schema is, or that its items are; also if it may be null. */
function objectIn(schema: Schema): {
  readonly schema: Schema | undefined;
  readonly suffix: string;
} {
  if (schema.properties !== undefined) return { schema, suffix: "" };
  const { items, additionalProperties: values } = schema;
  const element = items !== undefined && isSchema(items) ? objectIn(items) : undefined;
  if (element?.schema !== undefined) return { ...element, suffix: `[]${element.suffix}` };
  const value = typeof values === "object" ? objectIn(values) : undefined;
  if (value?.schema !== undefined) return { ...value, suffix: `.*${value.suffix}` };
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map(objectIn);
  return choices.find((each) => each.schema !== undefined) ?? { schema: undefined, suffix: "" };
}

export function isSchema(items: Schema | readonly Schema[]): items is Schema {
  return !Array.isArray(items);
}

/** The name of the schema to which a reference points. */
export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
