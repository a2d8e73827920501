import { readArguments } from "./arguments.ts";
import { readParameters } from "./arguments.ts";
import { readExpression, readTuple, readTypeDefinition, readYield } from "./expressions.ts";
import { readImport } from "./imports.ts";
import { childrenOf, inner, nameOf, placeOf, textOf, type Tree } from "./nodes.ts";
import type { Block, Expression, Statement } from "./syntax.ts";

/** Reads the statements of a file, a function or another body. */
export function readBlock(trees: readonly Tree[]): Block {
  return trees.flatMap((tree) => {
    if (nameOf(tree) === ":" || nameOf(tree) === ";") return [];
    return nameOf(tree) === "StatementGroup" ? readBlock(childrenOf(tree)) : [readStatement(tree)];
  });
}

function bodyOf(tree: Tree | undefined): Block {
  return tree === undefined ? [] : readBlock(childrenOf(tree));
}

/** Whether a statement has an error outside of the bodies in it. */
function hasError({ node }: Tree): boolean {
  let isBroken = false;
  node.cursor().iterate(({ type, name, from }) => {
    if (name === "Body" && from > node.from) return false;
    if (type.isError) isBroken = true;
    return true;
  });
  return isBroken && node.name !== "YieldStatement";
}

function readStatement(tree: Tree): Statement {
  const place = placeOf(tree);
  if (hasError(tree))
    return {
      kind: "unsupported",
      reason: "not valid Python, or too new for the parser",
      names: [],
      ...place,
    };
  const children = childrenOf(tree);
  const [first, second] = children;
  switch (nameOf(tree)) {
    case "ExpressionStatement":
      return { kind: "expression", value: readTuple(tree, children), ...place };
    case "AssignStatement":
      return readAssignment(tree, children);
    case "UpdateStatement":
      return {
        kind: "augmented",
        target: readExpression(first!),
        operator: textOf(second!).slice(0, -1),
        value: readTuple(tree, children.slice(2)),
        ...place,
      };
    case "ReturnStatement":
      return {
        kind: "return",
        value: second === undefined ? undefined : readTuple(tree, children.slice(1)),
        ...place,
      };
    case "YieldStatement":
      return { kind: "expression", value: readYield(tree, children), ...place };
    case "IfStatement":
      return readIf(tree, children);
    case "ForStatement":
      return readFor(tree, children);
    case "WhileStatement":
      return {
        kind: "while",
        test: readExpression(second!),
        body: bodyOf(children[2]),
        otherwise: elseOf(children),
        ...place,
      };
    case "TryStatement":
      return readTry(tree, children);
    case "WithStatement":
      return {
        kind: "with",
        value:
          children.length === 5 && nameOf(children[0]!) === "with" && nameOf(children[2]!) === "as"
            ? readExpression(second!)
            : undefined,
        names: aliases(children),
        body: bodyOf(children.at(-1)),
        ...place,
      };
    case "RaiseStatement":
      return {
        kind: "raise",
        value: second === undefined ? undefined : readExpression(second),
        ...place,
      };
    case "AssertStatement":
      return {
        kind: "assert",
        test: readExpression(second!),
        message: children[3] === undefined ? undefined : readExpression(children[3]),
        ...place,
      };
    case "DeleteStatement":
      return { kind: "delete", target: readTuple(tree, children.slice(1)), ...place };
    case "ImportStatement":
      return { kind: "import", names: readImport(children), ...place };
    case "PassStatement":
      return { kind: "pass", ...place };
    case "BreakStatement":
      return { kind: "break", ...place };
    case "ContinueStatement":
      return { kind: "continue", ...place };
    case "ScopeStatement":
      return { kind: "global", ...place };
    case "FunctionDefinition":
    case "ClassDefinition":
    case "DecoratedStatement":
      return readDefinition(tree, []);
    default:
      return { kind: "unsupported", reason: `the statement ${nameOf(tree)}`, names: [], ...place };
  }
}

function readDefinition(tree: Tree, decorators: readonly Expression[]): Statement {
  const children = childrenOf(tree);
  const place = placeOf(tree);
  if (nameOf(tree) === "DecoratedStatement") {
    const own = children
      .filter((child) => nameOf(child) === "Decorator")
      .map((child) => readDecorator(child));
    return { ...readDefinition(children.at(-1)!, own), ...place };
  }
  const name = textOf(children.find((child) => nameOf(child) === "VariableName")!);
  const body = bodyOf(children.at(-1));
  if (nameOf(tree) === "ClassDefinition") {
    const list = children.find((child) => nameOf(child) === "ArgList");
    const bases = list === undefined ? [] : readArguments(list);
    return { kind: "class", name, bases, body, decorators, ...place };
  }
  const parameters = children.find((child) => nameOf(child) === "ParamList");
  const returns = children.find((child) => nameOf(child) === "TypeDef");
  return {
    kind: "function",
    name,
    isAsync: nameOf(children[0]!) === "async",
    parameters: parameters === undefined ? [] : readParameters(parameters),
    returns: returns === undefined ? undefined : readTypeDefinition(returns),
    body,
    decorators,
    ...place,
  };
}

/** A decorator is flat in the tree: names with dots, then perhaps arguments. */
function readDecorator(tree: Tree): Expression {
  const place = placeOf(tree);
  const parts = childrenOf(tree);
  const names = parts.filter((part) => nameOf(part).endsWith("Name")).map((part) => textOf(part));
  let expression: Expression = { kind: "name", name: names[0] ?? "", ...place };
  for (const name of names.slice(1))
    expression = { kind: "attribute", object: expression, name, ...place };
  const list = parts.find((part) => nameOf(part) === "ArgList");
  if (list === undefined) return expression;
  return { kind: "call", callee: expression, args: readArguments(list), ...place };
}

function readAssignment(tree: Tree, children: readonly Tree[]): Statement {
  const type = children.find((child) => nameOf(child) === "TypeDef");
  const sides: Tree[][] = [[]];
  for (const child of children)
    if (nameOf(child) === "AssignOp") sides.push([]);
    else if (nameOf(child) !== "TypeDef") sides.at(-1)!.push(child);
  const expressions = sides.map((side) => readTuple(tree, side));
  const hasValue = sides.length > 1;
  return {
    kind: "assign",
    targets: hasValue ? expressions.slice(0, -1) : expressions,
    type: type === undefined ? undefined : readTypeDefinition(type),
    value: hasValue ? expressions.at(-1) : undefined,
    ...placeOf(tree),
  };
}

function readIf(tree: Tree, children: readonly Tree[]): Statement {
  const branches = children.flatMap((child, index) =>
    nameOf(child) === "if" || nameOf(child) === "elif"
      ? [{ test: readExpression(children[index + 1]!), body: bodyOf(children[index + 2]) }]
      : [],
  );
  return { kind: "if", branches, otherwise: elseOf(children), ...placeOf(tree) };
}

function elseOf(children: readonly Tree[]): Block | undefined {
  const at = children.findIndex((child) => nameOf(child) === "else");
  return at === -1 ? undefined : bodyOf(children[at + 1]);
}

function readFor(tree: Tree, children: readonly Tree[]): Statement {
  const start = children.findIndex((child) => nameOf(child) === "for");
  const middle = children.findIndex((child) => nameOf(child) === "in");
  const end = children.findIndex((child) => nameOf(child) === "Body");
  return {
    kind: "for",
    target: readTuple(tree, children.slice(start + 1, middle)),
    iterable: readTuple(tree, children.slice(middle + 1, end)),
    body: bodyOf(children[end]),
    otherwise: elseOf(children),
    isAsync: nameOf(children[0]!) === "async",
    ...placeOf(tree),
  };
}

function readTry(tree: Tree, children: readonly Tree[]): Statement {
  const bodyAfter = (word: string) => {
    const at = children.findIndex((child) => nameOf(child) === word);
    return at === -1 ? undefined : bodyOf(children[at + 1]);
  };
  const handlers = children.flatMap((child, index) => {
    if (nameOf(child) !== "except") return [];
    const end = children.findIndex((part, at) => at > index && nameOf(part) === "Body");
    const head = children.slice(index + 1, end).filter((part) => nameOf(part) !== "*");
    const as = head.findIndex((part) => nameOf(part) === "as");
    return [
      {
        type: head[0] === undefined ? undefined : readExpression(head[0]),
        name: as === -1 ? undefined : textOf(head[as + 1]!),
        body: bodyOf(children[end]),
      },
    ];
  });
  return {
    kind: "try",
    body: bodyOf(children[1]),
    handlers,
    otherwise: bodyAfter("else"),
    finalizer: bodyAfter("finally"),
    ...placeOf(tree),
  };
}

/** The names that a `with` statement assigns. */
function aliases(children: readonly Tree[]): readonly string[] {
  return children.flatMap((child, index) => {
    if (nameOf(child) !== "as") return [];
    const target = children[index + 1]!;
    const names = nameOf(target) === "TupleExpression" ? inner(target) : [target];
    return names.filter((name) => nameOf(name) === "VariableName").map((name) => textOf(name));
  });
}
