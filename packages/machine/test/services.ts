import assert from "node:assert/strict";
import { join } from "node:path";

import { type Contract, online, type Subject, succeeds, withinOf } from "./contract.ts";

/** A server on port 8000 that sends a file. */
const sender = `import socket, sys
server = socket.create_server(("0.0.0.0", 8000))
while True:
    peer, _ = server.accept()
    peer.recv(9999)
    peer.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\n" + open(sys.argv[1], "rb").read())
    peer.close()
`;
const isListening =
  "python3 -c \"import socket; socket.create_connection(('localhost', 8000), 2)\"";
const get = (host: string): string => `curl -sS --max-time 20 http://${host}:8000/`;

/** The part of the contract for containers beside a machine. */
export function servicesContract(subject: Subject): Contract {
  const { image, provider, allowedHost } = subject;
  const within = withinOf(subject);
  /** A service that sends its name, which another service wrote into a volume. */
  const send = (name: string) => ({
    [`${name}-seed`]: {
      image,
      command: `sleep 1; echo ${name} > /data/name`,
      volumes: { "/data": name },
    },
    [name]: {
      image,
      command: ["python3", "-c", sender, "/data/name"],
      volumes: { "/data": name },
      healthCheck: { command: isListening, intervalMs: 500, retries: 60 },
      after: { [`${name}-seed`]: "completed" as const },
    },
  });
  return {
    "starts services before the machine, which reaches them by name and nothing else": within(
      async (machine) => {
        assert.equal(await succeeds(machine, get("fruit")), "fruit");
        assert.equal(await succeeds(machine, "cat /shared/name"), "fruit");
        const fruit = machine.service("fruit");
        assert.equal((await fruit.exec("echo $COLOUR; cat /etc/colour")).stdout, "red\nred\n");
        const reach = `${online} ${allowedHost} && ! ${online} example.com && ! ${online} 1.1.1.1`;
        for (const container of [machine, fruit])
          assert.equal((await container.exec(reach, { timeoutMs: 60_000 })).exitCode, 0);
        await machine.restart();
        await machine.setNetwork("none");
        const address = await machine.expose("http://fruit:8000/name");
        assert.equal(await (await fetch(address)).text(), "fruit\n");
        await assert.rejects(fetch(await machine.expose("http://fruit:8001")));
        assert.equal(await succeeds(machine, get("fruit")), "fruit");
        assert.notEqual((await fruit.exec(`${online} ${allowedHost}`)).exitCode, 0);
        assert.throws(() => machine.service("cake"), /no service cake.*fruit/);
      },
      {
        network: { allow: [allowedHost] },
        volumes: { "/shared": "fruit" },
        after: { fruit: "healthy" },
        services: {
          ...send("fruit"),
          fruit: {
            ...send("fruit")["fruit"]!,
            env: { COLOUR: "red" },
            files: { "/etc/colour": join(import.meta.dirname, "fixtures/colour.txt") },
          },
        },
      },
    ),
    "gives each service its own address where the network is not restricted": within(
      async (machine) => {
        assert.equal(await succeeds(machine, `${get("plum")}; ${get("pear")}`), "plum\npear");
        await machine.restart();
        assert.equal(await succeeds(machine, get("plum")), "plum");
        assert.equal(
          await (await fetch(await machine.expose("http://pear:8000"))).text(),
          "pear\n",
        );
        await assert.rejects(machine.setNetwork("none"), /cannot be restricted/);
      },
      {
        network: "public",
        after: { plum: "healthy", pear: "healthy" },
        services: { ...send("plum"), ...send("pear") },
      },
    ),
    "rejects with the log of a service that ends, and for services that wait for each other":
      async () => {
        const broken = { image, command: "echo no licence; exit 3" };
        const waits = (name: string) => ({ ...broken, after: { [name]: "started" as const } });
        const after = { broken: "completed" as const };
        await assert.rejects(
          provider.create({ image, after, services: { broken } }),
          /service broken ended with 3:\s+no licence/,
        );
        const endless = { image, command: "sleep 1000" };
        await assert.rejects(
          provider.create({
            image,
            after: { endless: "completed" },
            services: { endless },
            buildTimeoutMs: 2_000,
          }),
          /service endless did not end in 2000 ms/,
        );
        await assert.rejects(
          provider.create({ image, services: { a: waits("b"), b: waits("a") } }),
          /wait for each other/,
        );
      },
  };
}
