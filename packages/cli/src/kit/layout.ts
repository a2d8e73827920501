export { failureText } from "../render/failures.ts";
export { figure, percent } from "../render/figures.ts";
export { priceText } from "../render/price.ts";
export { nearPath, pathArgument } from "../render/run-path.ts";
export { scoreTable } from "../render/score-table.ts";
export { duration, shortDuration } from "../render/time.ts";
export { liveLines, truncate, widthOf, wrap } from "@envs/terminal/layout";
export type { LiveLines, LiveStream } from "@envs/terminal/layout";
