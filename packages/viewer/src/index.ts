// What the viewer's data routes send
export type {
  CurvePoint,
  Note,
  RolloutRow,
  RunEntry,
  RunHead,
  RunMessage,
  RunScore,
  SearchMatch,
  TrainingStep,
} from "./run/run.ts";

// Records of rollouts, of any program that the viewer reads
export { RecordIndexer } from "./record/index-records.ts";
export { viewParsedRecord } from "./record/view-record.ts";
export type { ViewedRollout } from "./record/rollout.ts";
export { searchRollout } from "./record/search.ts";

// Images, audio and files beside records
export { isMediaFile, mediaFilesIn, shownType } from "./record/media.ts";

// Rows of the index
export { fieldsOfRows, rowValue } from "./analysis/select-rows.ts";

// Filters such as `win > 0 && turns < 5`
export { createFields, parseClauses, parseWhere } from "./where/where.ts";
export type { Clause, Field, Fields, FieldValue, Predicate } from "./where/where.ts";

// Selections of examples such as `3,10-20,key=abc`
export { parseSelection, selectOf } from "./selection/parse-selection.ts";
export type { ExampleSelection } from "./selection/parse-selection.ts";
