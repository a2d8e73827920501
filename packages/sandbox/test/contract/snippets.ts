/** The same small programs in one language, for the contract. */
export interface Snippets {
  readonly print: (text: string) => string;
  readonly printError: (text: string) => string;
  /** An expression of the value `{ list: [1, "é", null] }`. */
  readonly value?: string | undefined;
  readonly fail: string;
  readonly setVariable: string;
  readonly printVariable: string;
  readonly printFile: (path: string) => string;
  readonly writeFile: (path: string, text: string) => string;
  readonly printStdin: string;
  readonly loop: string;
  readonly fillMemory: string;
  readonly printForever: string;
  readonly fillDisk: string;
  readonly forkForever?: string | undefined;
  /** Ends a process of this machine, and prints its environment variables. */
  readonly attackProcess?: ((pid: number) => string) | undefined;
  /** Connects to a port of this machine. */
  readonly connect: (port: number) => string;
  /** Prints what a function of the host returns for a text, or the message of the error that it throws. */
  readonly callFunction: (name: string, text: string) => string;
}

const q = JSON.stringify;

const javascript: Snippets = {
  print: (text) => `console.log(${q(text)})`,
  printError: (text) => `console.error(${q(text)})`,
  value: `({ list: [1, "é", null] })`,
  fail: `throw new TypeError("no such luck")`,
  setVariable: `let secret = "plum"`,
  printVariable: `console.log(secret)`,
  printFile: (path) => `console.log(require("fs").readFileSync(${q(path)}, "utf8"))`,
  writeFile: (path, text) => `require("fs").writeFileSync(${q(path)}, ${q(text)})`,
  printStdin: `console.log(require("fs").readFileSync(0, "utf8"))`,
  loop: `for (;;);`,
  fillMemory: `const all = []; for (;;) all.push(new Array(10_000).fill(1.5))`,
  printForever: `for (let i = 0; i < 2_000; i++) console.log("x".repeat(1000))`,
  fillDisk: `for (let i = 0; ; i++) require("fs").writeFileSync("f" + i, "x".repeat(100_000))`,
  attackProcess: (
    pid,
  ) => `const attempt = (work) => { try { console.log(String(work())) } catch (error) { console.log(error.message) } };
attempt(() => process.kill(${pid}, 9));
attempt(() => console.log.constructor("return process")().kill(${pid}, 9));
attempt(() => require("fs").readFileSync("/proc/${pid}/environ"));`,
  connect: (port) => `await fetch("http://127.0.0.1:${port}/")`,
  callFunction: (name, text) =>
    `try { console.log(${name}(${q(text)})) } catch (error) { console.log(error.message) }`,
};

const python: Snippets = {
  print: (text) => `print(${q(text)})`,
  printError: (text) => `import sys\nprint(${q(text)}, file=sys.stderr)`,
  value: `{"list": [1, "é", None]}`,
  fail: `raise TypeError("no such luck")`,
  setVariable: `secret = "plum"`,
  printVariable: `print(secret)`,
  printFile: (path) => `print(open(${q(path)}).read())`,
  writeFile: (path, text) => `with open(${q(path)}, "w") as file: file.write(${q(text)})`,
  printStdin: `import sys\nprint(sys.stdin.read())`,
  loop: `while True: pass`,
  fillMemory: `all = []\nwhile True: all.append(bytearray(4_000_000))`,
  printForever: `for _ in range(2_000): print("x" * 1000)`,
  fillDisk: `i = 0
while True:
    i += 1
    with open(f"f{i}", "wb") as file: file.write(b"x" * 1_000_000)`,
  forkForever: `import os
try:
    while True: os.fork()
except Exception as error: print(error)`,
  attackProcess: (pid) => `import os
for attempt in (lambda: os.kill(${pid}, 9), lambda: print(open("/proc/${pid}/environ").read())):
    try: attempt()
    except Exception as error: print(error)`,
  connect: (port) =>
    `import urllib.request\nurllib.request.urlopen("http://127.0.0.1:${port}/", timeout=2)`,
  callFunction: (name, text) =>
    `try:\n    print(${name}(${q(text)}))\nexcept Exception as error:\n    print(error)`,
};

const shell: Snippets = {
  print: (text) => `echo '${text}'`,
  printError: (text) => `echo '${text}' >&2`,
  fail: `echo 'no such luck' >&2; exit 7`,
  setVariable: `secret=plum`,
  printVariable: `echo "$secret"`,
  printFile: (path) => `cat '${path}'`,
  writeFile: (path, text) => `printf %s '${text}' > '${path}'`,
  printStdin: `cat`,
  loop: `while true; do :; done`,
  fillMemory: `x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done`,
  printForever: `for i in $(seq 1 200); do printf '%01000d\\n' 0; done`,
  fillDisk: `x=$(printf '%0100000d' 0)
i=0
while true; do i=$((i+1)); printf %s "$x" > f$i || exit 1; done`,
  forkForever: `f() { f | f & }; f; sleep 1`,
  attackProcess: (pid) => `kill -9 ${pid}; cat /proc/${pid}/environ; kill -9 -1`,
  connect: (port) => `curl -sS -m 2 http://127.0.0.1:${port}/ || (: < /dev/tcp/127.0.0.1/${port})`,
  callFunction: (name, text) => `${name} '${text}' 2>&1`,
};

/** The programs by the language of a provider. */
export const snippets: Readonly<Record<string, Snippets>> = {
  javascript,
  python,
  shell,
  bash: shell,
};
