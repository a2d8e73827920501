import { parseMediaReference } from "@envs/records";

/** The types that pages show, by file extension. Everything else is a download: an SVG or HTML file could contain scripts. */
const shownTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  wav: "audio/wav",
  mp3: "audio/mpeg",
};

/** The file to which a record refers, such as `<SHA-256>.png` for `media/<SHA-256>.png`; `undefined` for other texts. */
export function mediaFile(source: string): string | undefined {
  return parseMediaReference(source)?.path.slice("media/".length);
}

/** Whether a text is the name of such a file. */
export function isMediaFile(name: string): boolean {
  return mediaFile(`media/${name}`) === name;
}

/** All files to which the text of a record refers. */
export function mediaFilesIn(record: string): ReadonlySet<string> {
  const matches = record.matchAll(/"media\/([0-9a-f]{64}\.[a-z0-9]{1,8})["?]/gu);
  return new Set(Array.from(matches, ([, file = ""]) => file));
}

/** The media type of a file that pages show; `undefined` for a download. */
export function shownType(file: string): string | undefined {
  return shownTypes[file.slice(file.indexOf(".") + 1)];
}
