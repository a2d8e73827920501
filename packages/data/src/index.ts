// Files
export { csv, jsonl, parquet } from "./files.ts";
export type { CsvOptions } from "./files.ts";
export { imageColumn } from "./image-column.ts";
export type { RowOptions, Source } from "./options.ts";
export type { Condition, Where } from "./where.ts";

// Hugging Face
export { downloadDataset } from "./download-dataset.ts";
export type { DatasetFiles, DownloadOptions } from "./download-dataset.ts";
export { huggingFace } from "./hugging-face.ts";
export type { HuggingFaceOptions } from "./hugging-face.ts";
