export { failureText } from "../evaluation/failures.ts";
export { figure, percent } from "../text/figures.ts";
export { priceText } from "../evaluation/price.ts";
export { nearPath, pathArgument } from "../text/run-path.ts";
export { scoreTable } from "../evaluation/score-table.ts";
export { duration, shortDuration } from "../text/time.ts";
export { liveLines, truncate, widthOf, wrap } from "@envs/terminal/layout";
export type { LiveLines, LiveStream } from "@envs/terminal/layout";
