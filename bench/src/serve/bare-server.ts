import { createServer } from "node:http";

import { WebSocketServer } from "ws";

/** Sends each frame back. Argument: the port. */
const server = createServer((_, response) => response.end());
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on("connection", (socket) =>
  socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary })),
);
server.listen({ port: Number(process.argv[2]), host: "127.0.0.1", backlog: 4096 });
