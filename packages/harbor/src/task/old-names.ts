const units: Readonly<Record<string, number>> = { k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 };

/** Replaces names of earlier schema versions: `memory = "2G"`, `storage = "10G"`, `allow_internet = false`. */
export function withNewNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { memory, storage, allow_internet: isOnline, ...fields } = value as Record<string, unknown>;
  return {
    ...(memory !== undefined && { memory_mb: megabytes(memory) }),
    ...(storage !== undefined && { storage_mb: megabytes(storage) }),
    ...(isOnline === false && { network_mode: "no-network" }),
    ...fields,
  };
}

/** Megabytes of a size such as `2G` or `512M`. Leaves anything else for the schema to reject. */
function megabytes(size: unknown): unknown {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt])i?b?\s*$/iu.exec(String(size)) ?? [];
  return unit === undefined ? size : Number(number) * units[unit.toLowerCase()]!;
}
