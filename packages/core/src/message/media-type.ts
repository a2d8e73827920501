/** The media types that servers accept in images and audio. A file can have any type. */
export const mediaTypes: Readonly<Record<"image" | "audio", readonly string[]>> = {
  image: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  audio: ["audio/wav", "audio/mp3"],
};

/** Recognizes a media type by the first bytes; `undefined` for bytes of other types, such as text. */
export function sniff(bytes: Uint8Array): string | undefined {
  const starts = (signature: string, offset = 0): boolean =>
    Array.from(signature).every(
      (character, index) => bytes[offset + index] === character.codePointAt(0),
    );
  if (starts("\u{89}PNG\r\n\u{1A}\n")) return "image/png";
  if (starts("\u{FF}\u{D8}\u{FF}")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  if (starts("RIFF") && starts("WEBP", 8)) return "image/webp";
  if (starts("RIFF") && starts("WAVE", 8)) return "audio/wav";
  if (starts("ID3")) return "audio/mp3";
  if (starts("%PDF-")) return "application/pdf";
  // The sync word of an MPEG frame, with layer 3.
  if (bytes[0] === 0xff && (bytes[1]! & 0xe6) === 0xe2) return "audio/mp3";
  return undefined;
}
