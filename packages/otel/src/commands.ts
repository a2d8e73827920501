/** Exports the rollouts of a run of the command line. */
export { exportRollouts } from "./commands/export-rollouts.ts";
