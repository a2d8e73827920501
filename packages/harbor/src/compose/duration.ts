const units: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration of Compose, such as `1m30s`. A number is in nanoseconds. */
export function milliseconds(duration: string | number | undefined): number | undefined {
  if (duration === undefined) return undefined;
  if (typeof duration === "number") return duration / 1e6;
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/gu)];
  if (parts.length === 0 || parts.map(([text]) => text).join("") !== duration.trim())
    throw new Error(`${JSON.stringify(duration)} is not a duration such as 30s`);
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit!]!, 0);
}
