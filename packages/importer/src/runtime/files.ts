import { readFileSync } from "node:fs";

/** A file that `open` reads as text. Iterating it gives its lines, with their line feeds, as Python's does. */
export class TextFile implements Iterable<string> {
  readonly #text: string;

  constructor(path: any) {
    this.#text = readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  }

  read(): string {
    return this.#text;
  }

  readlines(): string[] {
    return [...this];
  }

  *[Symbol.iterator](): Generator<string> {
    yield* this.#text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  }
}
