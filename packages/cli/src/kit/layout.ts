export { liveLines, truncate, widthOf, wrap } from "@envs/terminal/layout";
export type { LiveLines, LiveStream } from "@envs/terminal/layout";
export { priceText } from "../render/price.ts";
export { nearPath, pathArgument } from "../render/run-path.ts";
