import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";

import type { ImageSource, Machine, MachineOptions, MachineProvider } from "../src/index.ts";

/** What the contract needs of a test: a provider, an image with Debian's base programs and python3. */
export interface Subject {
  readonly provider: MachineProvider;
  readonly image: ImageSource;
  /** The name of a server on port 80 that the provider's lookup knows, and no other resolver. */
  readonly allowedHost: string;
}

/** The contract of providers. The keys name tests and complete "it …". Each check rejects if the provider breaks it. */
export type Contract = Readonly<Record<string, () => Promise<void>>>;

type Check = (machine: Machine) => Promise<void>;

export function machineContract(subject: Subject): Contract {
  const within = withinOf(subject);
  return {
    ...commands(within),
    ...files(within),
    ...networks(within, subject),
    ...lifetime(within, subject),
  };
}

export type Within = (check: Check, options?: Partial<MachineOptions>) => () => Promise<void>;

/** Makes a check that runs in a new machine. */
export const withinOf =
  ({ provider, image }: Subject): Within =>
  (check, options = {}) =>
  async () => {
    await using machine = await provider.create({ image, ...options });
    await check(machine);
  };

/** Runs a command that must succeed, and returns its output. */
export async function succeeds(machine: Machine, command: string): Promise<string> {
  const result = await machine.exec(command, { timeoutMs: 60_000 });
  assert.equal(result.exitCode, 0, JSON.stringify(result));
  return result.stdout.trimEnd();
}

function commands(within: Within): Contract {
  return {
    "separates the streams of a command, passes its input and returns its exit code": within(
      async (machine) => {
        const result = await machine.exec("cat; echo plum é >&2; exit 3", { stdin: "apple é" });
        assert.deepEqual(result, {
          exitCode: 3,
          stdout: "apple é",
          stderr: "plum é\n",
          timedOut: false,
          truncated: false,
        });
      },
    ),
    "runs a program with arguments that no shell reads": within(async (machine) => {
      const { stdout } = await machine.exec(["printf", "%s|", "a b", "$HOME", "*"]);
      assert.equal(stdout, "a b|$HOME|*|");
    }),
    "runs as a user, with variables and a folder, and as root without them": within(
      async (machine) => {
        const { stdout } = await machine.exec("id -u; echo $FRUIT $CAKE; pwd", {
          user: "nobody",
          env: { CAKE: "tart" },
          cwd: "/tmp",
        });
        assert.equal(stdout, "65534\nplum tart\n/tmp\n");
        assert.equal(await succeeds(machine, "id -u; echo $FRUIT"), "0\nplum");
      },
      { env: { FRUIT: "plum" } },
    ),
    "passes input while the command runs": within(async (machine) => {
      const stdin = new PassThrough();
      const onOutput = (): void => void stdin.end("pear\n");
      stdin.write("apple\n");
      const { stdout } = await machine.exec("read a; echo $a; read b; echo $b", {
        stdin,
        onOutput,
      });
      assert.equal(stdout, "apple\npear\n");
    }),
    "streams output while the command runs": within(async (machine) => {
      const times: number[] = [];
      await machine.exec("echo 1; sleep 1.5; echo 2", {
        onOutput: () => times.push(performance.now()),
      });
      assert.ok(times.at(-1)! - times[0]! > 1000, String(times));
    }),
    "keeps the start and the end of too much output": within(async (machine) => {
      const { stdout, truncated } = await machine.exec("seq 1 100000", { maxOutputBytes: 100 });
      assert.ok(truncated);
      assert.match(stdout, /^1\n2\n[^]*bytes omitted[^]*100000\n$/);
    }),
    "ends the processes of a command at its time limit, and no others": within(async (machine) => {
      await succeeds(machine, "sleep 1000 >/dev/null 2>&1 &");
      const started = performance.now();
      const { timedOut, exitCode, stdout } = await machine.exec(
        "echo started; (setsid sleep 2000 &) ; sleep 2000; echo never",
        { timeoutMs: 1000 },
      );
      assert.deepEqual([timedOut, exitCode, stdout], [true, 137, "started\n"]);
      assert.ok(performance.now() - started < 30_000);
      assert.equal(await sleepers(machine), "sleep 1000");
    }),
    "ends a command on abort": within(async (machine) => {
      const signal = AbortSignal.timeout(500);
      await assert.rejects(machine.exec("sleep 3000", { signal }), { name: "TimeoutError" });
      assert.equal(await sleepers(machine), "");
    }),
    "returns when the command has ended, though a process in the background holds its output":
      within(async (machine) => {
        const started = performance.now();
        assert.equal(await succeeds(machine, "sleep 60 & echo done"), "done");
        assert.ok(performance.now() - started < 30_000);
      }),
    "reports a program that does not exist as a failed command": within(async (machine) => {
      const { exitCode } = await machine.exec(["no-such-program"]).catch(() => ({ exitCode: 127 }));
      assert.ok(exitCode > 0);
    }),
    "waits for a health check": within(
      async (machine) => void (await succeeds(machine, "test -e /tmp/ready")),
      {
        healthCheck: {
          command: "test -e /tmp/ready || { touch /tmp/ready; exit 1; }",
          intervalMs: 100,
        },
      },
    ),
  };
}

/** The command lines of `sleep` with a long time. */
async function sleepers(machine: Machine): Promise<string> {
  const script = `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done 2>/dev/null | grep -E '^sleep [123]000' | sed 's/ $//' | sort -u; true`;
  return await succeeds(machine, script);
}

function files(within: Within): Contract {
  return {
    "copies files and folders in and out": within(async (machine) => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, "run.sh"), "#!/bin/sh\necho plum\n", { mode: 0o755 });
        await writeFile(join(folder, "é.txt"), "apple");
        await machine.copyIn(folder, "/deep/er");
        await machine.copyIn(join(folder, "run.sh"), "/opt/other/name.sh");
        await machine.write("/data/a.txt", "pear");
        const output = await succeeds(
          machine,
          "/deep/er/run.sh; /opt/other/name.sh; cat /data/a.txt /deep/er/é.txt; stat -c %u /deep/er/run.sh",
        );
        assert.equal(output, "plum\nplum\npearapple0");
        const target = join(folder, "out");
        const { files: copied, refused } = await machine.copyOut("/deep/er", target);
        assert.deepEqual([copied, refused], [["run.sh", "é.txt"], []]);
        assert.equal(await readFile(join(target, "é.txt"), "utf8"), "apple");
        assert.equal(Buffer.from(await machine.read("/data/a.txt")).toString(), "pear");
      });
    }),
    "refuses devices and links that lead outside on the way out": within(async (machine) => {
      await succeeds(
        machine,
        `mkdir -p /art/a/b /art/d && cd /art && echo x > file && ln -s file inside && ln -s ../../.. a/b/up
         ln -s /etc/passwd absolute && ln -s a/b/up/../../.. around && mkfifo pipe && ln -s a/b chain && ln -s ../../../../etc a/b/out
         ln file hard && ln -s .. dot && ln -s ../d d/self`,
      );
      await withFolder(async (folder) => {
        const { files: copied, refused } = await machine.copyOut("/art", folder);
        assert.deepEqual(copied, ["chain", "d/self", "file", "hard", "inside"]);
        const paths = refused.map(({ path }) => path.replace(/^art\//, "")).toSorted();
        assert.deepEqual(paths, ["a/b/out", "a/b/up", "absolute", "around", "dot", "pipe"]);
      });
    }),
    "writes nothing through a link that the target has": within(async (machine) => {
      await succeeds(machine, "mkdir -p /art/sub && echo x > /art/sub/file");
      await withFolder(async (folder) => {
        await symlink(tmpdir(), join(folder, "sub"));
        const { files: copied } = await machine.copyOut("/art", folder);
        assert.deepEqual(copied, []);
      });
    }),
    "limits the size of what it copies out": within(async (machine) => {
      await succeeds(machine, "mkdir /art && head -c 3000000 /dev/zero > /art/zero");
      await withFolder(async (folder) => {
        await assert.rejects(machine.copyOut("/art", folder, { maxBytes: 10 ** 6 }), /more than/);
      });
      await assert.rejects(machine.read("/nothing"));
    }),
  };
}

/** Connects to port 80 of a host. */
export const online =
  'python3 -c "import socket,sys; socket.create_connection((sys.argv[1], 80), 5)"';

function networks(within: Within, { allowedHost }: Subject): Contract {
  const connects = async (machine: Machine, host: string): Promise<boolean> =>
    (await machine.exec(`${online} ${host}`, { timeoutMs: 20_000 })).exitCode === 0;
  return {
    "reaches nothing without a network": within(async (machine) => {
      assert.equal(await succeeds(machine, "ls /sys/class/net | grep -v '^lo$' | wc -l"), "0");
      assert.equal(await connects(machine, allowedHost), false);
    }),
    "reaches allowed hosts by name, and nothing else": within(
      async (machine) => {
        const get = `curl -sS --max-time 20 http://${allowedHost}/`;
        assert.equal(await succeeds(machine, get), "welcome");
        // Another name, a name below it, an address, IPv6, another resolver, UDP.
        for (const host of ["example.com", `x.${allowedHost}`, "1.1.1.1", "2606:4700:4700::1111"])
          assert.equal(await connects(machine, host), false, host);
        const ask = `import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3); s.sendto(b'x', ('8.8.8.8', 53)); s.recv(9)`;
        assert.notEqual((await machine.exec(["python3", "-c", ask])).exitCode, 0);
        // The agent may write its own names, and gains nothing.
        await succeeds(
          machine,
          "echo nameserver 8.8.8.8 > /etc/resolv.conf; echo 1.1.1.1 one.example >> /etc/hosts",
        );
        assert.equal(await connects(machine, "one.example"), false);
        assert.equal(await connects(machine, "example.com"), false);
      },
      { network: { allow: [allowedHost] } },
    ),
    "changes the network between phases": within(
      async (machine) => {
        assert.equal(await connects(machine, allowedHost), true);
        await machine.setNetwork("none");
        assert.equal(await connects(machine, allowedHost), false);
        await machine.setNetwork("public");
        await machine.setNetwork({ allow: ["other.example"] });
        assert.equal(await connects(machine, allowedHost), false);
        await machine.setNetwork({ allow: ["other.example", allowedHost] });
        assert.equal(await connects(machine, allowedHost), true);
      },
      { network: { allow: [allowedHost] } },
    ),
    "reaches a server of this machine that is forwarded, without a network and after a restart":
      within(async (machine) => {
        await withServer(async (origin) => {
          const address = await machine.forward(`${origin}/v1`);
          const get = `curl -sS --max-time 20 ${address}`;
          assert.equal(await succeeds(machine, get), "welcome /v1");
          await machine.restart();
          assert.equal(await succeeds(machine, get), "welcome /v1");
          assert.equal(await connects(machine, "1.1.1.1"), false);
        });
      }),
    "is not online while it restarts": within(async (machine) => {
      // The agent is root, and what it wrote runs with the main process.
      await succeeds(machine, "cat /sys/class/net/*/address > /kept; cp /bin/sh /bin/other");
      await machine.write("/tmp/sh", '#!/bin/other\nls /sys/class/net > /nets\nexec other "$@"\n');
      await succeeds(machine, "chmod 755 /tmp/sh && cp /tmp/sh /bin/new && mv /bin/new /bin/sh");
      await machine.restart();
      assert.equal(await succeeds(machine, "cat /nets"), "lo");
    }),
  };
}

function lifetime(within: Within, { provider, image }: Subject): Contract {
  return {
    "restarts without processes, and with the files": within(async (machine) => {
      await succeeds(machine, "echo plum > /kept; sleep 1000 >/dev/null 2>&1 &");
      await machine.restart();
      assert.equal(await succeeds(machine, "cat /kept"), "plum");
      assert.equal(await sleepers(machine), "");
    }),
    "rejects hosts that are not names": async () => {
      for (const host of ["https://packages.example.com", "10.0.0.0/8", "1.1.1.1", "a b"])
        await assert.rejects(
          provider.create({ image, network: { allow: [host] } }),
          /allowed host/,
        );
    },
    "removes a machine that is not healthy": async () => {
      const healthCheck = { command: "echo broken >&2; false", intervalMs: 50, retries: 2 };
      await assert.rejects(provider.create({ image, healthCheck }), /2 of 2 health checks.*broken/);
    },
  };
}

export async function withServer(use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    response.end(`welcome${request.url === "/" ? "" : ` ${request.url}`}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "machine-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
