export type { Ask } from "./exact/ask.ts";
export { type Misplay, type Probe, probe } from "./exact/probe.ts";
export { type Rival, rivals } from "./exact/rival.ts";
export type { Line, Tally, WinMissed } from "./exact/tally.ts";
export { walk, type WalkOptions } from "./exact/walk.ts";
export { positions } from "./positions.ts";
