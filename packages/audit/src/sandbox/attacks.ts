import { type Canaries, variable } from "./canaries.ts";

/** Code that tries to leave a sandbox. */
export interface Attack {
  /** The target of the attack: `files`, `environment`, `network`, `parent` or `time`. */
  readonly target: string;
  readonly code: string;
}

type Attacks = (canaries: Pick<Canaries, "file" | "url" | "port">) => readonly Attack[];

const python: Attacks = ({ file, url }) => [
  { target: "files", code: `print(open(${JSON.stringify(file)}).read())` },
  {
    target: "environment",
    code: `import os, glob\nprint(os.environ.get("${variable}"))\nfor path in glob.glob("/proc/[0-9]*/environ"):\n    try:\n        print(open(path, "rb").read())\n    except OSError:\n        pass`,
  },
  {
    target: "network",
    code: `import urllib.request\nprint(urllib.request.urlopen("${url}", timeout=2).read())`,
  },
  { target: "parent", code: "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)" },
  { target: "time", code: "while True:\n    pass" },
];

const javascript: Attacks = ({ file, url }) => [
  {
    target: "files",
    code: `const host = globalThis.constructor.constructor("return typeof process === 'undefined' ? undefined : process")();\nconst fs = host?.getBuiltinModule?.("fs") ?? (typeof require === "function" ? require("fs") : undefined);\nconst found = fs?.readFileSync(${JSON.stringify(file)}, "utf8");\nconsole.log(found);\nfound`,
  },
  {
    target: "environment",
    code: `const env = globalThis.constructor.constructor("return typeof process === 'undefined' ? {} : process.env")();\nconsole.log(env.${variable});\nenv.${variable}`,
  },
  {
    target: "network",
    code: `typeof fetch === "function" ? fetch("${url}").then((answer) => answer.text()) : "no fetch"`,
  },
  { target: "time", code: "for (;;) {}" },
];

const shell: Attacks = ({ file, url, port }) => [
  { target: "files", code: `cat ${JSON.stringify(file)}` },
  {
    target: "environment",
    code: `echo "$${variable}"; env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'`,
  },
  {
    target: "network",
    code: `curl -s -m 2 ${url} || wget -q -T 2 -O - ${url} || (exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected)`,
  },
  { target: "parent", code: "kill -9 $PPID" },
  { target: "time", code: "while true; do :; done" },
];

const sql: Attacks = ({ file }) => [
  {
    target: "files",
    code: `ATTACH DATABASE '${file}' AS stolen; SELECT * FROM stolen.sqlite_master`,
  },
  { target: "files", code: `SELECT CAST(readfile('${file}') AS TEXT)` },
  {
    target: "time",
    code: "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
  },
];

const byLanguage: Readonly<Record<string, Attacks>> = {
  python,
  javascript,
  shell,
  bash: shell,
  sh: shell,
  sql,
};

/** The attacks in a language; empty for an unknown language. */
export function attacksIn(language: string, canaries: Canaries): readonly Attack[] {
  return byLanguage[language.toLowerCase()]?.(canaries) ?? [];
}
