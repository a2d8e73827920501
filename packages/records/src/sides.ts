import type { Rollout } from "@envs/core";
import type { SeatRollout } from "@envs/core/engine";

/**
 * The sides of a rollout, each as a rollout: first its own, then those of the other seats that models have played. Without
 * seats, a rollout is its only side.
 */
export function sidesOf(rollout: Rollout): readonly Rollout[] {
  const { otherSeats } = rollout;
  if (otherSeats === undefined) return [rollout];
  return [
    rollout,
    ...Object.entries(otherSeats).map(([seat, side]) => sideOf(rollout, seat, side)),
  ];
}

function sideOf(rollout: Rollout, seat: string, side: SeatRollout): Rollout {
  const { model: _model, ...played } = side;
  const { environment, part, example, exampleIndex, exampleKey, rolloutIndex, timing } = rollout;
  const shared = { environment, part, example, exampleIndex, exampleKey, rolloutIndex, timing };
  const own = { ...shared, ...played, seat };
  if (rollout.status === "failed") return { ...own, status: "failed", error: rollout.error };
  const { stopReason } = rollout;
  return { ...own, status: "scored", stopReason, reward: side.reward!, scores: side.scores! };
}
