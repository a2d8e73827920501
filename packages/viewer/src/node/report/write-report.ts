import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";

import { mediaFilesIn } from "../../record/media.ts";
import type { RolloutRow } from "../../run/run.ts";
import {
  blockElement,
  indexElement,
  mediaElement,
  type ReportRun,
} from "../../source/report-data.ts";
import { readNotes } from "../runs/notes.ts";
import { readMedia } from "../runs/read-media.ts";
import type { RunReader, VocabularyOf } from "../runs/run-reader.ts";
import { viewerAssets } from "../viewer-assets.ts";
import { encodeBlock } from "./encode-block.ts";
import { reportHead, reportTail } from "./report-page.ts";

/** The text of a block before compression: a few rollouts, which decode in milliseconds. */
const blockLength = 512 * 1024;

export interface ReportOptions {
  readonly title: string;
  /** Shown in this order. */
  readonly readers: readonly RunReader[];
  /** Only rows for which this returns true; by default all. */
  readonly includes?: ((row: RolloutRow) => boolean) | undefined;
  readonly vocabularyOf?: VocabularyOf | undefined;
  /** The maximum number of bytes of images, audio and files in the report. Default 50,000,000. */
  readonly maxMediaBytes?: number | undefined;
}

export interface WrittenReport {
  readonly rollouts: number;
  /** The files that would exceed the limit. The page names them. */
  readonly leftOut: { readonly files: number; readonly bytes: number };
}

/** Writes runs as one HTML file without external files. */
export async function writeReport(path: string, options: ReportOptions): Promise<WrittenReport> {
  const draft = `${path}.${randomUUID()}.draft`;
  const file = createWriteStream(draft);
  const write = async (text: string): Promise<void> => {
    if (!file.write(text)) await once(file, "drain");
  };
  try {
    await once(file, "open");
    const written = await writeParts(write, options);
    file.end();
    await once(file, "close");
    await rename(draft, path);
    return written;
  } catch (error) {
    file.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

/** The index comes first in the file, so that the page lists the rollouts before it decodes their records. */
async function writeParts(
  write: (text: string) => Promise<void>,
  { title, readers, includes = () => true, vocabularyOf, maxMediaBytes = 50e6 }: ReportOptions,
): Promise<WrittenReport> {
  await write(reportHead(title, await viewerAssets()));
  const runs: ReportRun[] = [];
  const media = new Map<string, RunReader>();
  const blocks: string[] = [];
  let block: string[] = [];
  let length = 0;
  const closeBlock = async (): Promise<void> => {
    if (block.length === 0) return;
    blocks.push(await encodeBlock(block.join("\n")));
    block = [];
    length = 0;
  };
  for (const reader of readers) {
    await reader.refresh();
    const rows = latest(reader.rows).filter(includes);
    const places: [number, number][] = [];
    let last: { range: RolloutRow["range"]; place: [number, number] } | undefined;
    for (const row of rows) {
      // Writes a record once, because the traces of one episode share it.
      if (last === undefined || row.range === undefined || row.range !== last.range) {
        const record = oneLine(await reader.readRecord(row).catch(() => ""));
        if (length > 0 && length + record.length > blockLength) await closeBlock();
        last = { range: row.range, place: [blocks.length, block.length] };
        for (const name of mediaFilesIn(record)) if (!media.has(name)) media.set(name, reader);
        block.push(record);
        length += record.length + 1;
      }
      places.push(last.place);
    }
    const { place: _, ...head } = await reader.readHead();
    runs.push({
      head: { ...head, place: "", rollouts: rows.length, isComplete: true },
      rows: rows.map(({ range: __, ...row }) => row),
      curves: reader.curves,
      notes: await readNotes(reader),
      vocabulary: (await vocabularyOf?.(reader)) ?? [],
      places,
    });
  }
  await closeBlock();
  await write(element(indexElement, await encodeBlock(JSON.stringify({ runs }))));
  for (const [index, text] of blocks.entries()) await write(element(blockElement(index), text));
  const leftOut = await writeMedia(write, media, maxMediaBytes);
  await write(reportTail);
  return { rollouts: runs.reduce((sum, { rows }) => sum + rows.length, 0), leftOut };
}

/** Writes each file once, whatever number of rollouts shows it, until the limit. */
async function writeMedia(
  write: (text: string) => Promise<void>,
  media: ReadonlyMap<string, RunReader>,
  maxBytes: number,
): Promise<WrittenReport["leftOut"]> {
  let written = 0;
  const leftOut = { files: 0, bytes: 0 };
  for (const [file, reader] of media) {
    const bytes = await readMedia(reader, file);
    if (bytes === undefined) continue;
    if (written + bytes.length > maxBytes) {
      leftOut.files += 1;
      leftOut.bytes += bytes.length;
      continue;
    }
    written += bytes.length;
    await write(element(mediaElement(file), bytes.toString("base64")));
  }
  return leftOut;
}

/** The last row of each id, at the place of the first. */
function latest(rows: readonly RolloutRow[]): readonly RolloutRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** A record on one line. Only logs of Inspect have line breaks between their tokens. */
function oneLine(record: string): string {
  if (!record.includes("\n")) return record;
  try {
    return JSON.stringify(JSON.parse(record));
  } catch {
    return record.replaceAll("\n", " ");
  }
}

/** Writes data into a script element of another type, which browsers never run. Base64 cannot close the element. */
function element(id: string, text: string): string {
  return `<script type="text/plain" id="${id}">${text}</script>\n`;
}
