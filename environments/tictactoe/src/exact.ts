export type { Ask } from "./exact/ask.ts";
export { type Misplay, type Probe, probe } from "./exact/probe.ts";
export { type ExactOpponent, exactOpponents } from "./exact/exact-opponent.ts";
export type { Line, Tally, MissedWin } from "./exact/tally.ts";
export { walk, type WalkOptions } from "./exact/walk.ts";
export { positions } from "./positions.ts";
