import type { SchemaElement, SchemaTree } from "hyparquet";

type Convert = (value: unknown) => unknown;
/** Parquet stores some types in 32 bits or in 64, which hyparquet reads as numbers and bigints. */
type Integer = number | bigint;
type Row = Readonly<Record<string, unknown>>;

/**
 * How the decoded values of a column become JSON where JSON has them: integers become numbers unless they are above 2^53 (then
 * they stay bigints), decimals become text with all digits, dates and times become ISO 8601 text with all digits of the second.
 * Bytes stay `Uint8Array`, and absent values become null. `undefined` for a column whose values need no change.
 */
export function converterOf({ element, children }: SchemaTree): Convert | undefined {
  if (children.length === 0) return leafConverter(element);
  const [child] = children;
  if (child !== undefined && isList(element)) {
    const inner = converterOf(child.children.length === 1 ? child.children[0]! : child) ?? orNull;
    return nullable((list) => Array.from(list as ArrayLike<unknown>, inner));
  }
  if (child !== undefined && isMap(element)) {
    const inner = converterOf(child.children[1]!) ?? orNull;
    return nullable((map) =>
      Object.fromEntries(Object.entries(map as Row).map(([key, value]) => [key, inner(value)])),
    );
  }
  const fields = children.map(
    (field) => [field.element.name, converterOf(field) ?? orNull] as const,
  );
  return nullable((struct) => {
    const values: Record<string, unknown> = {};
    for (const [name, convert] of fields) values[name] = convert((struct as Row)[name]);
    return values;
  });
}

/** Removes the annotations of types that hyparquet would convert with a loss: decimals to floats, times to milliseconds. */
export function withoutLossyTypes(element: SchemaElement): SchemaElement {
  if (leafConverter(element) === undefined || element.type === undefined) return element;
  const { converted_type: _, logical_type: __, ...plain } = element;
  return plain;
}

function leafConverter(element: SchemaElement): Convert | undefined {
  const { type, converted_type: converted, logical_type: logical, scale = 0 } = element;
  if (converted === "DECIMAL" || logical?.type === "DECIMAL")
    return nullable((value) => decimalText(unscaled(value), scale));
  if (converted === "DATE" || logical?.type === "DATE")
    return nullable((days) => new Date(Number(days) * 86_400_000).toISOString().slice(0, 10));
  const time = timeTypeOf(element);
  if (time !== undefined) {
    const { isTimestamp, digits, isUtc } = time;
    if (!isTimestamp)
      return nullable((ticks) => timestampText(BigInt(ticks as Integer), digits).slice(11));
    return nullable(
      (ticks) => timestampText(BigInt(ticks as Integer), digits) + (isUtc ? "Z" : ""),
    );
  }
  if (type !== "INT64") return undefined;
  const isUnsigned = converted === "UINT_64" || (logical?.type === "INTEGER" && !logical.isSigned);
  // hyparquet returns nullable unsigned integers as signed ones.
  return isUnsigned ? nullable((value) => toNumber(BigInt.asUintN(64, value as bigint))) : toNumber;
}

const secondDigits = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const;

function timeTypeOf({ converted_type: converted, logical_type: logical }: SchemaElement) {
  if (logical?.type === "TIMESTAMP" || logical?.type === "TIME")
    return {
      isTimestamp: logical.type === "TIMESTAMP",
      digits: secondDigits[logical.unit],
      isUtc: logical.isAdjustedToUTC,
    };
  const [, kind, unit] = /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/.exec(converted ?? "") ?? [];
  if (kind === undefined) return undefined;
  // Files without logical types have times in UTC.
  const digits = secondDigits[unit as "MILLIS" | "MICROS"];
  return { isTimestamp: kind === "TIMESTAMP", digits, isUtc: true };
}

/** Ticks of 10^-digits seconds since 1970 as ISO 8601, without zeros at the end of the fraction. */
export function timestampText(ticks: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const fraction = ((ticks % perSecond) + perSecond) % perSecond;
  const seconds = (ticks - fraction) / perSecond;
  const text = new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, "");
  if (fraction === 0n) return text;
  return `${text}.${fraction.toString().padStart(digits, "0").replace(/0+$/, "")}`;
}

function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as Integer);
  let total = 0n;
  for (const byte of value) total = total * 256n + BigInt(byte);
  return BigInt.asIntN(value.length * 8, total);
}

function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return value.toString();
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const sign = value < 0n ? "-" : "";
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function toNumber(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function orNull(value: unknown): unknown {
  return value ?? null;
}

function nullable(convert: Convert): Convert {
  return (value) => (value === null || value === undefined ? null : convert(value));
}

function isList({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === "LIST" || logical?.type === "LIST";
}

function isMap(element: SchemaElement): boolean {
  const { converted_type: converted, logical_type: logical } = element;
  return converted === "MAP" || converted === "MAP_KEY_VALUE" || logical?.type === "MAP";
}
