import type { ParquetQueryFilter, SchemaElement, SchemaTree } from "hyparquet";

import type { Conditions } from "../where.ts";

/**
 * The conditions that the statistics of row groups can decide, because the statistics of their columns follow the order of the
 * values. Other conditions are checked for each row.
 */
export function pruningFilterOf(
  conditions: Conditions | undefined,
  columns: readonly SchemaTree[],
): ParquetQueryFilter | undefined {
  const decidable = Object.entries(conditions ?? {}).filter(([name]) =>
    columns.some(
      ({ element, children }) =>
        element.name === name && children.length === 0 && isPlainType(element),
    ),
  );
  return decidable.length === 0
    ? undefined
    : (Object.fromEntries(decidable) as unknown as ParquetQueryFilter);
}

function isPlainType({ type, converted_type: converted, logical_type: logical }: SchemaElement) {
  if (type === "BYTE_ARRAY") return converted === "UTF8" || logical?.type === "STRING";
  if (type === "BOOLEAN" || type === "FLOAT" || type === "DOUBLE") return true;
  const isSigned = converted === undefined || /^INT_(8|16|32|64)$/.test(converted);
  const isInteger = logical === undefined || (logical.type === "INTEGER" && logical.isSigned);
  return (type === "INT32" || type === "INT64") && isSigned && isInteger;
}
