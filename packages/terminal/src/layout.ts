export { liveLines } from "./live-lines.ts";
export type { LiveLines, LiveStream } from "./live-lines.ts";
export { truncate, widthOf, wrap } from "./wrap.ts";
