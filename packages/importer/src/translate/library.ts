import { constantText } from "../python/strings.ts";
import type { Expression } from "../python/syntax.ts";
import { asList, translate } from "./expression.ts";
import { regexLiteral } from "./regex.ts";
import { type Code, type Scope, type Type, Untranslatable } from "./scope.ts";

type Call = Expression & { kind: "call" };

const maths: Readonly<Record<string, string>> = {
  sqrt: "sqrt",
  exp: "exp",
  floor: "floor",
  ceil: "ceil",
  fabs: "abs",
  log2: "log2",
  log10: "log10",
  log1p: "log1p",
  sin: "sin",
  cos: "cos",
  tan: "tan",
  atan: "atan",
  atan2: "atan2",
  tanh: "tanh",
  pow: "pow",
  hypot: "hypot",
  trunc: "trunc",
};

/** Translates a call of Python's library; `undefined` if it is not one that is known. */
export function libraryCall(scope: Scope, path: string, call: Call): Code | undefined {
  const dot = path.indexOf(".");
  const [module, name] = [path.slice(0, dot), path.slice(dot + 1)];
  const values = call.args
    .filter((argument) => argument.name === undefined)
    .map(({ value }) => value);
  const codes = () => values.map((value) => translate(scope, value).code);
  const made = (code: string, type: Type): Code => ({ code, type });
  if (module === "re") return regexCall(scope, name, call);
  if (module === "math") {
    const own = maths[name];
    if (own !== undefined) return made(`Math.${own}(${codes().join(", ")})`, "number");
    if (name === "log")
      return made(
        values.length === 1
          ? `Math.log(${codes()[0]})`
          : `(Math.log(${codes()[0]}) / Math.log(${codes()[1]}))`,
        "number",
      );
    if (name === "isclose")
      return made(
        `(Math.abs(${codes()[0]} - ${codes()[1]}) <= 1e-9 * Math.max(Math.abs(${codes()[0]}), Math.abs(${codes()[1]})))`,
        "boolean",
      );
    if (name === "isnan") return made(`Number.isNaN(${codes()[0]})`, "boolean");
    if (name === "isinf") return made(`(Math.abs(${codes()[0]}) === Infinity)`, "boolean");
    if (name === "isfinite") return made(`Number.isFinite(${codes()[0]})`, "boolean");
    if (name === "prod")
      return made(
        `${asList(scope, values[0]!)}.reduce((product: any, value: any) => product * value, 1)`,
        "number",
      );
    return undefined;
  }
  switch (path) {
    case "json.loads":
      return made(`JSON.parse(${codes()[0]})`, "any");
    case "json.load":
      return made(`JSON.parse(${codes()[0]}.read())`, "any");
    case "json.dumps": {
      const indent = call.args.find((argument) => argument.name === "indent");
      return made(
        `py.dumps(${codes()[0]}${indent === undefined ? "" : `, ${translate(scope, indent.value).code}`})`,
        "string",
      );
    }
    case "random.seed":
    case "random.random":
    case "random.uniform":
    case "random.randint":
    case "random.randrange":
    case "random.choice":
    case "random.choices":
    case "random.sample":
    case "random.shuffle": {
      const count = call.args.find((argument) => argument.name === "k");
      const all = count === undefined ? codes() : [...codes(), translate(scope, count.value).code];
      return made(
        `py.random.${name}(${all.join(", ")})`,
        name === "choice" || name === "shuffle"
          ? "any"
          : /s(?:ample)?$/.test(name)
            ? "array"
            : "number",
      );
    }
    case "random.Random":
      return made(`new py.Random(${codes().join(", ")})`, "any");
    case "os.getenv":
    case "os.environ.get": {
      const [key, otherwise] = codes();
      return made(
        `py.get(${["process.env", key, otherwise].filter((code) => code !== undefined).join(", ")})`,
        "any",
      );
    }
    case "collections.Counter":
      return made(`py.counter(${codes().join(", ")})`, "any");
    case "collections.OrderedDict":
      return made(`py.dict(${codes().join(", ")})`, "any");
    case "collections.deque":
      return made(
        values[0] === undefined ? "([] as any[])" : `[...${asList(scope, values[0])}]`,
        "array",
      );
    case "copy.deepcopy":
    case "copy.copy":
      return made(`structuredClone(${codes()[0]})`, "any");
    case "typing.cast":
      return made(codes()[1]!, "any");
    case "ast.literal_eval":
      throw new Untranslatable("evaluates a literal of Python", call);
    case "asyncio.gather": {
      scope.usesAwait ||= false;
      const list = call.args.map(({ star, value }) =>
        star === "*"
          ? `...${asList(scope, value)}`
          : translate(scope, value).code.replace(/^\(await (.*)\)$/s, "$1"),
      );
      return made(`Promise.all([${list.join(", ")}])`, "array");
    }
    case "itertools.chain":
      return made(`[${values.map((value) => `...${asList(scope, value)}`).join(", ")}]`, "array");
    case "itertools.chain.from_iterable":
      return made(`${asList(scope, values[0]!)}.flatMap((value: any) => py.list(value))`, "array");
    case "html.unescape":
    case "html.escape":
      throw new Untranslatable(`needs ${path}`, call);
    default:
      return undefined;
  }
}

const regexFunctions: Readonly<Record<string, readonly [string, Type]>> = {
  search: ["search", "any"],
  match: ["match", "any"],
  fullmatch: ["fullmatch", "any"],
  findall: ["findall", "array"],
  finditer: ["finditer", "array"],
  split: ["splitBy", "array"],
};

function regexCall(scope: Scope, name: string, call: Call): Code | undefined {
  const positional = call.args.filter((argument) => argument.name === undefined);
  const [pattern, second, third, fourth] = positional.map(({ value }) => value);
  const named = (wanted: string) => call.args.find((argument) => argument.name === wanted)?.value;
  if (name === "escape")
    return { code: `py.escape(${translate(scope, pattern!).code})`, type: "string" };
  const place = name === "sub" ? undefined : name === "compile" ? second : third;
  const flags = flagsOf(scope, named("flags") ?? place);
  const compiled = patternOf(scope, pattern!, flags);
  if (name === "compile") return { code: compiled, type: "regex" };
  if (name === "sub") {
    const count = named("count") ?? fourth;
    const args = [second!, third!].map((value) => translate(scope, value).code);
    const limit = count === undefined ? "" : `, ${translate(scope, count).code}`;
    return { code: `py.sub(${compiled}, ${args.join(", ")}${limit})`, type: "string" };
  }
  const known = regexFunctions[name];
  if (known === undefined) return undefined;
  return { code: `py.${known[0]}(${compiled}, ${translate(scope, second!).code})`, type: known[1] };
}

function patternOf(scope: Scope, pattern: Expression, flags: string): string {
  const text = constantText(pattern);
  if (text === undefined) {
    const { code, type } = translate(scope, pattern);
    return type === "regex"
      ? code
      : `py.regex(${code}${flags === "" ? "" : `, ${JSON.stringify(flags)}`})`;
  }
  const literal = regexLiteral(text, flags);
  if (typeof literal === "string") throw new Untranslatable(literal, pattern);
  return literal.code;
}

/** `re.I | re.S` as letters. */
function flagsOf(scope: Scope, flags: Expression | undefined): string {
  if (flags === undefined) return "";
  if (flags.kind === "binary" && flags.operator === "|")
    return flagsOf(scope, flags.left) + flagsOf(scope, flags.right);
  const { code } = translate(scope, flags);
  if (!/^"[a-z]*"$/.test(code))
    throw new Untranslatable("flags of a regular expression that are not constant", flags);
  return JSON.parse(code) as string;
}
