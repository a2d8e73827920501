// One rollout a line
export { isReadable, parseRow } from "./read-row.ts";
export type { UnreadableRow } from "./read-row.ts";
export type { Row, TurnRow } from "./row.ts";
export { toRow } from "./write-row.ts";

// One conversation a line, for trainers
export { toChat } from "./chat.ts";
export type { Chat, ChatRow } from "./chat.ts";

// The run
export { parseMetadata, schemaVersion, totals } from "./metadata.ts";
export type { Metadata } from "./metadata.ts";
export { createSummarizer } from "../summary.ts";
