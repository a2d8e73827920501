import type { SmokeEvidence } from "./evidence.ts";
import { formatInterval, formatPercent } from "./format-estimate.ts";
import { findRewardFault, findSensitiveProbe, paddedName } from "./judge-probes.ts";

/** Lists reasons to doubt the environment or the verdict, as sentences. */
export function smokeWarnings(evidence: SmokeEvidence): string[] {
  const { probes, failures, learning, constant } = evidence;
  const { failed, played, message } = failures;
  const best = probes[0]?.name ?? "the first policy";
  const hasFault = findRewardFault(evidence) !== undefined;
  const warnings = probes.flatMap(({ name, lead }) => {
    if (hasFault || lead === undefined || lead.high >= 0) return [];
    const gain = formatInterval({ mean: -lead.mean, low: -lead.high, high: -lead.low });
    return name === paddedName
      ? `Replies of ${best} earn more if they are repeated, by ${gain}. A model may learn to write long replies.`
      : `${name} earns more than ${best}, by ${gain}. Check the signs of the scores' weights, and list the best policy first.`;
  });
  if (failed > 0 && failed <= played / 2)
    warnings.push(
      `${failed} of ${played} rollouts failed and were excluded. The first error: ${message ?? "no message"}`,
    );
  if (learning === undefined || constant !== undefined) return warnings;
  if (learning.difference.low > 0 && findSensitiveProbe(probes) === undefined)
    warnings.push(
      `The model may have learned something other than the task: replies to other messages and shuffled characters earn as much as ${best}.`,
    );
  if (learning.isShared)
    warnings.push(
      `The dataset has only ${learning.examples} examples, so the reward was measured on the training examples.`,
    );
  if (learning.truncated > 0.5)
    warnings.push(
      `${formatPercent(learning.truncated)} of the rollouts were truncated by a limit of tokens or turns.`,
    );
  return warnings;
}
