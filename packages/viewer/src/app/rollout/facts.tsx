import type { ViewedRollout } from "../../record/rollout.ts";
import { Figure } from "../figure.tsx";
import { count, difference, dollars, figure, plural, seconds } from "../format.ts";

/** The reward, the end of the rollout, and its cost and time. */
export function Facts({
  viewed,
  advantage,
}: {
  readonly viewed: ViewedRollout;
  readonly advantage: number | undefined;
}) {
  const { reward, error, usage, phases, turns, stopReason } = viewed;
  const subModelCalls = viewed.branches?.filter(({ kind }) => kind === "sub-model").length ?? 0;
  const total = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  return (
    <>
      <dl className="figures rollout-figures">
        <Figure name="reward" value={figure(reward)} isStrong />
        {viewed.seat !== undefined && <Figure name="seat" value={viewed.seat} />}
        {viewed.part !== undefined && <Figure name="part" value={viewed.part} />}
        {advantage !== undefined && (
          <Figure name="reward − group mean" value={difference(advantage)} />
        )}
        <Figure name="turns" value={count(turns.length)} />
        {stopReason !== undefined && <Figure name="ended by" value={stopReason} />}
        {usage !== undefined && usage.inputTokens + usage.outputTokens > 0 && (
          <Figure
            name="tokens"
            value={`${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out`}
          />
        )}
        {usage?.cost !== undefined && <Figure name="cost" value={dollars(usage.cost)} />}
        {viewed.judges.map(({ name, calls, cached, usage: judged }) => (
          <Figure
            key={name}
            name={viewed.judges.length === 1 ? "judge" : `judge ${name}`}
            value={`${plural(calls, "call")}, ${count(judged.inputTokens)} in, ${count(judged.outputTokens)} out`}
            hint={cached > 0 ? `${name}, ${plural(cached, "answer")} from the cache` : name}
          />
        ))}
        {viewed.agentCalls !== undefined && (
          <Figure name="agent" value={plural(viewed.agentCalls, "call")} />
        )}
        {subModelCalls > 0 && <Figure name="sub-model" value={plural(subModelCalls, "call")} />}
        {viewed.earlierErrors.length > 0 && (
          <Figure name="attempt" value={count(viewed.earlierErrors.length + 1)} />
        )}
        {total > 0 && (
          <Figure
            name="time"
            value={seconds(total)}
            hint={phases.map((phase) => `${phase.name} ${seconds(phase.seconds)}`).join(", ")}
          />
        )}
        {viewed.isTruncated && <Figure name="truncated" value="yes" />}
        {viewed.isFiltered && <Figure name="filtered" value="yes" />}
      </dl>
      {error !== undefined && (
        <div className="problem" role="alert">
          <strong>
            Failed ({error.code}): {error.message}
          </strong>
          {error.details.length > 0 && (
            <details>
              <summary>Details</summary>
              <pre>{error.details.join("\n")}</pre>
            </details>
          )}
        </div>
      )}
      {viewed.earlierErrors.length > 0 && (
        <details className="notice">
          <summary>{plural(viewed.earlierErrors.length, "failed attempt")} before this one</summary>
          <pre>
            {viewed.earlierErrors.map(({ code, message }) => `${code}: ${message}`).join("\n")}
          </pre>
        </details>
      )}
      {viewed.toolErrors.length > 0 && (
        <details className="notice">
          <summary>
            {plural(viewed.toolErrors.length, "tool error")}, which the model received
          </summary>
          <pre>{viewed.toolErrors.join("\n")}</pre>
        </details>
      )}
    </>
  );
}
