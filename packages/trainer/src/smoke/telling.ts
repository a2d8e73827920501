import type { Probe } from "./evidence.ts";

/** A way to reply badly that earns less than the first policy, or more: the reward heeds what is said. */
export function tellingProbe(probes: readonly Probe[]): Probe | undefined {
  return probes.find(
    ({ name, lead }) =>
      !name.startsWith("policy:") && lead !== undefined && (lead.low > 0 || lead.high < 0),
  );
}
