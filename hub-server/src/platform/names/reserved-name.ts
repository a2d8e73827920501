const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** Whether Windows reserves the file name for a device, with any extension: `con`, `aux.js`, `LPT1`. */
export function isReservedName(name: string): boolean {
  const [stem = ""] = name.split(".", 1);
  return reserved.test(stem.trimEnd());
}
