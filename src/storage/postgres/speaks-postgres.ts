import { connect } from "node:net";

/** A client's question whether the server takes TLS: its length, and a number that stands for the question. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ANSWERS: ReadonlySet<string> = new Set(["S", "N", "E"]);

/**
 * Whether what listens there is a PostgreSQL, or a pooler in front of one: those answer this one question with one of three
 * letters. `null` where nothing is said in time, which a server that is starting may do as well.
 */
export function speaksPostgres(host: string, port: number, withinMs: number): Promise<boolean | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: withinMs });
    const end = (answer: boolean | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => socket.write(SSL_REQUEST));
    socket.on("data", (bytes) => end(ANSWERS.has(bytes.toString("latin1", 0, 1))));
    for (const event of ["timeout", "error", "close"]) socket.on(event, () => end(null));
  });
}
