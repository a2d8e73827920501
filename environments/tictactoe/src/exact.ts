export type { Ask } from "./exact/ask.ts";
export { type Misplay, type Probe, probe, type ProbeOptions } from "./exact/probe.ts";
export { exactFigures, type Figures, figuresBySeat } from "./exact/figures.ts";
export { type ExactOpponent, exactOpponents } from "./exact/exact-opponent.ts";
export type { Line, Tally, MissedWin } from "./exact/tally.ts";
export { walk, type WalkOptions } from "./exact/walk.ts";
export { positions } from "./positions.ts";
export { type Presentation, standardPresentation } from "./presentation.ts";
export { type Drawing, heldOutDrawings, heldOutWordings, type Wording } from "./wordings.ts";
