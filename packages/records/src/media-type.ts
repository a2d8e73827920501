/** The extension of the file in which a record keeps bytes of a media type. */
const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mp3": "mp3",
  "application/pdf": "pdf",
  "application/json": "json",
  "text/plain": "txt",
  "text/csv": "csv",
  "text/markdown": "md",
  "text/html": "html",
};

export function extensionOf(mediaType: string): string {
  return extensions[mediaType] ?? "bin";
}

export function mediaTypeOf(extension: string): string {
  const known = Object.entries(extensions).find(([, name]) => name === extension);
  return known?.[0] ?? "application/octet-stream";
}
