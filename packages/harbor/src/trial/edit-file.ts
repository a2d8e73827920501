import type { ExecOptions, Machine } from "@envs/machine";

export interface Edit {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
}

const maxBytes = 2 ** 20;
const write = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"';

/**
 * Replaces a text that occurs once in a file of a machine, or writes a new file if the old text is empty. Resolves to what a model
 * reads: the change, or why the file is as before.
 */
export async function editFile(
  machine: Machine,
  { path, old_text: before, new_text: after }: Edit,
  options: ExecOptions,
): Promise<string> {
  let content = after;
  if (before === "") {
    const { exitCode } = await machine.exec(["test", "-s", path], options);
    if (exitCode === 0) return `${path} exists and is not empty. Give the text to replace.`;
  } else {
    const read = await machine.exec(["cat", "--", path], { ...options, maxOutputBytes: maxBytes });
    if (read.exitCode !== 0) return `Cannot read ${path}: ${read.stderr.trim()}`;
    if (read.truncated || read.stdout.includes("\uFFFD"))
      return `${path} is not text, or has more than ${maxBytes} bytes. Change it by a command.`;
    const parts = read.stdout.split(before);
    if (parts.length !== 2)
      return parts.length === 1
        ? `${path} does not contain old_text. It must match exactly, with spaces and line ends.`
        : `${path} contains old_text ${parts.length - 1} times. Add lines around it.`;
    content = parts.join(after);
  }
  const written = await machine.exec(["sh", "-c", write, "sh", path], {
    ...options,
    stdin: content,
  });
  return written.exitCode === 0
    ? `Changed ${path}.`
    : `Cannot write ${path}: ${written.stderr.trim()}`;
}
