// Runs in the network of a machine, which has only a loopback, outside of its file system and processes. It answers the names
// that the host allows with addresses of the loopback, accepts connections there, and passes them to the host by HTTP/2 on its
// standard streams. It decides nothing. It imports no other file, because it runs alone in a container.
import { createSocket } from "node:dgram";
import { type ClientHttp2Stream, connect } from "node:http2";
import {
  type AddressInfo,
  connect as connectTo,
  createServer,
  type Server,
  type Socket,
} from "node:net";
import { Duplex, pipeline } from "node:stream";

const ports = [80, 443];
const maxNames = 60_000;
const addresses = new Map<string, string>();
const names = new Map<string, string>();
const forwards = new Map<string, Server>();

const pipes = Duplex.from({ readable: process.stdin, writable: process.stdout });
const session = connect("http://host", { createConnection: () => pipes });
session.on("close", () => process.exit(0));
session.on("error", () => process.exit(1));
process.on("SIGTERM", () => process.exit(0));

function ask(path: string): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request({ ":path": path }, { endStream: true });
    stream.on("response", (headers) => resolve(headers[":status"] ?? 500));
    stream.on("error", () => resolve(500));
    stream.resume();
  });
}

function serve(
  headers: (localAddress: string | undefined, port: number) => Record<string, string>,
): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    const stream = session.request(
      { ":method": "CONNECT", ...headers(socket.localAddress, socket.localPort ?? 0) },
      { endStream: false },
    );
    join(socket, stream);
  });
}

function join(socket: Socket, stream: ClientHttp2Stream): void {
  stream.on("response", ({ ":status": status }) => {
    if (status !== 200) return socket.destroy();
    pipeline(socket, stream, () => {});
    pipeline(stream, socket, () => {});
  });
  stream.on("error", () => socket.destroy());
  socket.on("error", () => stream.close());
}

/** Connects to a server of the machine or of its services, for the host. */
function dial(id: string, host: string, port: number): void {
  const socket = connectTo({ host, port, allowHalfOpen: true });
  const fail = ({ message }: Error): void =>
    void ask(`/dials/${id}/${encodeURIComponent(message)}`);
  socket.once("error", fail);
  socket.once("connect", () => {
    socket.off("error", fail);
    const headers = { ":method": "CONNECT", ":authority": "dial:1", "x-dial": id };
    join(socket, session.request(headers, { endStream: false }));
  });
}

const toName = (address: string | undefined, port: number) => ({
  ":authority": `${names.get(address ?? "") ?? ""}:${port}`,
});

/** The address of a name in the loopback, with servers on the ports that the machine has not taken itself. */
async function addressOf(name: string): Promise<string | undefined> {
  const known = addresses.get(name);
  if (known !== undefined || addresses.size >= maxNames) return known;
  const number = addresses.size + 1;
  const address = `127.66.${number >> 8}.${number & 255}`;
  addresses.set(name, address);
  names.set(address, name);
  const listening = ports.map(
    (port) =>
      new Promise<void>((resolve) => {
        const server = serve(toName);
        server.on("error", () => resolve());
        server.listen(port, address, resolve);
      }),
  );
  await Promise.all(listening);
  return address;
}

const typeA = 1;
const [ok, noSuchName] = [0, 3];

/** A reply to a query with one question: RFC 1035, section 4. */
function reply(query: Buffer, end: number, code: number, address: string | undefined): Buffer {
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(address === undefined ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  const answer =
    address === undefined
      ? []
      : [0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)];
  return Buffer.concat([head, query.subarray(12, end), Buffer.from(answer)]);
}

const resolver = createSocket("udp4");
resolver.on("error", () => process.exit(1));
resolver.on("message", (query, { port, address }) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]; length !== undefined && length > 0; length = query[at]) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (end > query.length || labels.length === 0) return;
  const type = query.readUInt16BE(at + 1);
  const name = labels.join(".").toLowerCase();
  void (async () => {
    const isKnown = (await ask(`/names/${encodeURIComponent(name)}`)) === 200;
    const found = isKnown && type === typeA ? await addressOf(name) : undefined;
    resolver.send(reply(query, end, isKnown ? ok : noSuchName, found), port, address);
  })();
});
await new Promise<void>((resolve) => resolver.bind(53, "127.0.0.1", resolve));

/** Orders come as lines: the number of a forwarded server and its port, or 0 for any; with a host, the number of a connection to it. */
const orders = session.request({ ":path": "/orders" }, { endStream: true });
let rest = "";
orders.setEncoding("utf8");
orders.on("data", (text: string) => {
  const lines = `${rest}${text}`.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const [id = "", port = "0", host] = line.split(" ");
    if (host !== undefined) {
      dial(id, host, Number(port));
      continue;
    }
    if (forwards.has(id)) continue;
    const server = serve(() => ({ ":authority": "forward:1", "x-forward": id }));
    forwards.set(id, server);
    const report = (result: string | number) => void ask(`/forwards/${id}/${result}`);
    server.on("error", ({ message }) => report(encodeURIComponent(message)));
    server.listen(Number(port), "127.0.0.1", () => report((server.address() as AddressInfo).port));
  }
});
