/** Where a node is in its file, by characters. */
export interface Located {
  readonly from: number;
  readonly to: number;
}

/** An argument of a call. `star` is `*` or `**` where the argument is spread. */
export interface Argument {
  readonly name: string | undefined;
  readonly star: "" | "*" | "**";
  readonly value: Expression;
}

/** A parameter of a function. */
export interface Parameter {
  readonly name: string;
  readonly star: "" | "*" | "**";
  readonly type: Expression | undefined;
  readonly value: Expression | undefined;
}

/** `for target in iterable if condition …` of a comprehension. */
export interface Clause {
  readonly target: Expression;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
}

/** A part of a string: text, or a value that an f-string inserts. */
export type StringPart =
  | string
  | { readonly value: Expression; readonly conversion: string; readonly format: string };

export type Expression = Located &
  (
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "string"; readonly parts: readonly StringPart[] }
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "constant"; readonly value: boolean | null }
    | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
    | { readonly kind: "subscript"; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: "slice";
        readonly lower: Expression | undefined;
        readonly upper: Expression | undefined;
        readonly step: Expression | undefined;
      }
    | { readonly kind: "call"; readonly callee: Expression; readonly args: readonly Argument[] }
    | {
        readonly kind: "binary";
        readonly operator: string;
        readonly left: Expression;
        readonly right: Expression;
      }
    | { readonly kind: "unary"; readonly operator: string; readonly operand: Expression }
    | {
        readonly kind: "logical";
        readonly operator: "and" | "or";
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: "compare";
        readonly operators: readonly string[];
        readonly operands: readonly Expression[];
      }
    | {
        readonly kind: "conditional";
        readonly test: Expression;
        readonly value: Expression;
        readonly otherwise: Expression;
      }
    | {
        readonly kind: "lambda";
        readonly parameters: readonly Parameter[];
        readonly body: Expression;
      }
    | { readonly kind: "list" | "tuple" | "set"; readonly items: readonly Expression[] }
    | {
        readonly kind: "dict";
        readonly entries: readonly {
          /** `undefined` for `**value`. */
          readonly key: Expression | undefined;
          readonly value: Expression;
        }[];
      }
    | {
        readonly kind: "comprehension";
        readonly type: "list" | "set" | "dict" | "generator";
        readonly key: Expression | undefined;
        readonly element: Expression;
        readonly clauses: readonly Clause[];
      }
    | { readonly kind: "await" | "starred"; readonly value: Expression }
    | { readonly kind: "walrus"; readonly name: string; readonly value: Expression }
    | { readonly kind: "yield"; readonly value: Expression | undefined; readonly isFrom: boolean }
    | { readonly kind: "unsupported"; readonly reason: string }
  );

/** A function with its decorators. */
export interface FunctionStatement extends Located {
  readonly kind: "function";
  readonly name: string;
  readonly isAsync: boolean;
  readonly parameters: readonly Parameter[];
  readonly returns: Expression | undefined;
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}

/** A class with its decorators. */
export interface ClassStatement extends Located {
  readonly kind: "class";
  readonly name: string;
  readonly bases: readonly Argument[];
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}

/** `import module as alias`, or `from module import name as alias`. */
export interface ImportedName {
  /** With its leading dots. */
  readonly module: string;
  /** `undefined` for `import module`; `*` for all. */
  readonly name: string | undefined;
  readonly alias: string;
}

export type Statement = Located &
  (
    | FunctionStatement
    | ClassStatement
    | { readonly kind: "expression"; readonly value: Expression }
    | {
        readonly kind: "assign";
        readonly targets: readonly Expression[];
        readonly type: Expression | undefined;
        /** `undefined` for a declaration without a value. */
        readonly value: Expression | undefined;
      }
    | {
        readonly kind: "augmented";
        readonly target: Expression;
        readonly operator: string;
        readonly value: Expression;
      }
    | { readonly kind: "return"; readonly value: Expression | undefined }
    | {
        readonly kind: "if";
        readonly branches: readonly { readonly test: Expression; readonly body: Block }[];
        readonly otherwise: Block | undefined;
      }
    | {
        readonly kind: "for";
        readonly target: Expression;
        readonly iterable: Expression;
        readonly body: Block;
        readonly otherwise: Block | undefined;
        readonly isAsync: boolean;
      }
    | {
        readonly kind: "while";
        readonly test: Expression;
        readonly body: Block;
        readonly otherwise: Block | undefined;
      }
    | {
        readonly kind: "try";
        readonly body: Block;
        readonly handlers: readonly {
          readonly type: Expression | undefined;
          readonly name: string | undefined;
          readonly body: Block;
        }[];
        readonly otherwise: Block | undefined;
        readonly finalizer: Block | undefined;
      }
    | {
        readonly kind: "with";
        /** The value of `with value as name`; `undefined` for other forms. */
        readonly value: Expression | undefined;
        readonly names: readonly string[];
        readonly body: Block;
      }
    | { readonly kind: "raise"; readonly value: Expression | undefined }
    | {
        readonly kind: "assert";
        readonly test: Expression;
        readonly message: Expression | undefined;
      }
    | { readonly kind: "delete"; readonly target: Expression }
    | { readonly kind: "import"; readonly names: readonly ImportedName[] }
    | { readonly kind: "pass" | "break" | "continue" | "global" }
    | { readonly kind: "unsupported"; readonly reason: string; readonly names: readonly string[] }
  );

export type Block = readonly Statement[];

/** A parsed file of Python. */
export interface Module {
  /** The path inside of the package. */
  readonly path: string;
  readonly text: string;
  /** Where and what the first error of the syntax is. */
  readonly problem: string | undefined;
  readonly body: Block;
}
