import { createSocket } from "node:dgram";
import { once } from "node:events";

const header = 12;
const addressRecord = 1;
const noError = 0x8180;
const nxdomain = 0x8183;

/** A DNS server. Resolves these names, returns NXDOMAIN for others, and drops queries for a name with the address "silence". */
export async function nameServer(
  addresses: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly address: string }> {
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    const { name, type, end } = readQuestion(message);
    const resolved = addresses[name];
    if (resolved === "silence") return;
    const records =
      resolved === undefined || type !== addressRecord ? [] : [encodeAddressRecord(resolved)];
    const head = Buffer.alloc(header);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(resolved === undefined ? nxdomain : noError, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, message.subarray(header, end), ...records]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: async () => void socket.close(),
  };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = header;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The A record of the question's name, valid for a minute. */
function encodeAddressRecord(address: string): Buffer {
  const name = [0xc0, header];
  const kind = [0, addressRecord, 0, 1];
  return Buffer.from([...name, ...kind, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]);
}
