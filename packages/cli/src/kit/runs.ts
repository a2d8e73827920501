export { evaluationArguments } from "../evaluation/evaluation-arguments.ts";
export { playPlan, positive } from "../evaluation/play-plan.ts";
export type { PlayPlan } from "../evaluation/play-plan.ts";
export { writeFileAtomically } from "../export/export-files.ts";
export type { PromptsFile } from "../optimization/prompts-file.ts";
export { newRunName } from "../runs/run-folder.ts";
