// Connections without a token that send most of a large body, and begin again when they are closed.
// Arguments: the port, how many at once, for how many milliseconds.
import net from "node:net";

const [port, count, forMs] = process.argv.slice(2).map(Number);
const BODY = Buffer.alloc(900 * 1024, " ");
const HEAD = `POST /data HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length + 100}\r\n\r\n`;
const HOLD_MS = 9_000;

function open() {
  const socket = net.connect(port, "127.0.0.1");
  const timer = setTimeout(() => socket.destroy(), HOLD_MS);
  socket.on("error", () => {});
  socket.on("data", () => socket.destroy());
  socket.on("close", () => {
    clearTimeout(timer);
    setTimeout(open, 1);
  });
  socket.write(HEAD);
  socket.write(BODY);
}

for (let at = 0; at < count; at += 1) open();
setTimeout(() => process.exit(), forMs);
