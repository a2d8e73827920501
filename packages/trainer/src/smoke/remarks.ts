import type { SmokeEvidence } from "./evidence.ts";
import { percent, range } from "./figures.ts";
import { tellingProbe } from "./telling.ts";

/** What a person should know beside the verdict. */
export function remarksOn({ probes, failures, learning, constant }: SmokeEvidence): string[] {
  const { failed, played, message } = failures;
  const best = probes[0]?.name ?? "the first policy";
  const better = probes.filter(({ lead }) => lead !== undefined && lead.high < 0);
  const remarks = better.map(
    ({ name, lead }) =>
      `${name} earns more than ${best}, by ${range({ mean: -lead!.mean, low: -lead!.high, high: -lead!.low })}: is a sign wrong, or is the first policy not the best?`,
  );
  if (failed > 0 && failed <= played / 2)
    remarks.push(
      `${failed} of ${played} rollouts failed and were left out. The first: ${message ?? "no message"}`,
    );
  if (learning === undefined || constant !== undefined) return remarks;
  if (learning.difference.low > 0 && tellingProbe(probes) === undefined)
    remarks.push(
      `What was learned may not be what you mean: replies that belong elsewhere, and characters in disorder, earn as much as ${best}.`,
    );
  if (learning.isShared)
    remarks.push(
      `The dataset has only ${learning.examples} examples, so the reward was measured on those that were learned from.`,
    );
  if (learning.truncated > 0.5)
    remarks.push(
      `${percent(learning.truncated)} of the rollouts ran into a limit of tokens or turns.`,
    );
  return remarks;
}
