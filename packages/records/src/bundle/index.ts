// Make a bundle answer
export { bundleRequests } from "./respond.ts";

// Ask a bundle
export { type BundleClient, bundleClient, BundleError } from "./client.ts";
export { bundleFormat } from "./methods.ts";
export type {
  BundleMethods,
  DatasetQuery,
  EpisodeView,
  ExamplePage,
  ExampleReference,
  RecordedReply,
  RecordedRollout,
  ReplayedRollout,
  ReplayRequest,
  StartedEpisode,
  StartRequest,
} from "./methods.ts";

// Replay recorded rollouts
export {
  compareReplay,
  type Divergence,
  divergenceOf,
  recordOf,
  type ReplayDifference,
  rewardOf,
} from "./compare-replay.ts";
export { replayRollouts } from "./replay-rollouts.ts";
export {
  type ModelChange,
  rewardDiffer,
  type RewardDiff,
  type ScoreChange,
} from "./reward-diff.ts";
