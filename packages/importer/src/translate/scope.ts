import { lineOf } from "../python/parse.ts";
import type {
  ClassStatement,
  FunctionStatement,
  Located,
  Module,
  Statement,
} from "../python/syntax.ts";

/** The type of a translated expression, as far as it is known. */
export type Type =
  | "string"
  | "number"
  | "boolean"
  | "array"
  | "set"
  | "dict"
  | "regex"
  | "dataset"
  | "any";

/** A translated expression. */
export interface Code {
  readonly code: string;
  readonly type: Type;
}

/** What a name of a module means. */
export type Meaning =
  | { readonly kind: "function"; readonly statement: FunctionStatement }
  | { readonly kind: "class"; readonly statement: ClassStatement }
  | { readonly kind: "constant" }
  /** `path` such as `re` or `datasets.load_dataset`. */
  | { readonly kind: "foreign"; readonly path: string }
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "own"; readonly file: string; readonly name: string };

/** A part of the original that the translation leaves to the author. */
export interface Todo {
  /** `file.py:12` or `file.py:12–14`. */
  readonly place: string;
  readonly reason: string;
}

/** What the translation of all modules has learnt. It runs until this does not change. */
export interface Knowledge {
  /** Functions and methods that wait for a dataset, though Python's do not. */
  readonly asyncNames: Set<string>;
  /** Functions that return a dataset. */
  readonly datasetNames: Set<string>;
  /** Parameters that receive a dataset, as `function.parameter`. */
  readonly datasetParameters: Set<string>;
}

/** A module in translation. */
export interface File {
  /** The name of its translation, without a folder. */
  readonly output: string;
  readonly module: Module;
  readonly names: ReadonlyMap<string, Meaning>;
  readonly knowledge: Knowledge;
  readonly todos: Todo[];
  /** Names that the code takes from files of `runtime`. */
  readonly runtime: Set<string>;
  /** Names that the code takes from other modules of the package, as `file name`. */
  readonly imports: Set<string>;
  /** The types of constants. */
  readonly constants: Map<string, Type>;
  readonly files: ReadonlyMap<string, File>;
}

/** Thrown where an expression cannot be translated; the statement around it becomes a TODO. */
export class Untranslatable extends Error {
  readonly place: Located;
  constructor(reason: string, place: Located) {
    super(reason);
    this.place = place;
  }
}

/** The names of a function in translation. */
export class Scope {
  readonly file: File;
  readonly parent: Scope | undefined;
  readonly types: Map<string, Type> = new Map();
  readonly functions: Map<string, FunctionStatement> = new Map();
  readonly classes: Map<string, ClassStatement> = new Map();
  readonly declared: Set<string> = new Set();
  readonly name: string;
  ownClass: ClassStatement | undefined;
  usesAwait = false;
  returns: Type | "none" | undefined;
  isInTry = false;
  isGenerator = false;

  constructor(file: File, parent: Scope | undefined, name: string) {
    this.file = file;
    this.parent = parent;
    this.name = name;
    this.ownClass = parent?.ownClass;
    this.isInTry = parent?.isInTry ?? false;
  }

  typeOf(name: string): Type | undefined {
    return this.types.get(name) ?? this.parent?.typeOf(name);
  }

  functionOf(name: string): FunctionStatement | undefined {
    return this.functions.get(name) ?? this.parent?.functionOf(name);
  }

  classOf(name: string): ClassStatement | undefined {
    return this.classes.get(name) ?? this.parent?.classOf(name);
  }

  /** Uses a name of the files that are copied into the package. */
  use(name: string): string {
    this.file.runtime.add(name);
    return name;
  }

  /** `file.py:12`. */
  placeOf(place: Located): string {
    const { path, text } = this.file.module;
    const first = lineOf(text, place.from);
    const last = lineOf(text, Math.max(place.from, place.to - 1));
    return `${path}:${first}${last > first ? `-${last}` : ""}`;
  }

  todo(statement: Located, reason: string): string {
    const place = this.placeOf(statement);
    this.file.todos.push({ place, reason });
    return `${this.use("todo")}(${JSON.stringify(`${place}: ${reason}`)})`;
  }

  /** The original lines as a comment. */
  comment(statement: Located): string {
    const { text } = this.file.module;
    const start = text.lastIndexOf("\n", statement.from) + 1;
    const indent = /^\s*/.exec(text.slice(start))![0].length;
    const lines = text.slice(start, statement.to).trimEnd().split("\n");
    const shown = lines.map((line) =>
      `// ${line.slice(Math.min(indent, /^\s*/.exec(line)![0].length))}`.trimEnd(),
    );
    return shown.join("\n");
  }
}

/** Whether a statement is one of a function or class, which has its own scope. */
export function isDefinition(
  statement: Statement,
): statement is FunctionStatement | ClassStatement {
  return statement.kind === "function" || statement.kind === "class";
}
