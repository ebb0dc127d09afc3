/**
 * The used parts of Node's `http`. `import … from "node:http"` reads every export once, and one of them is a WebSocket
 * client: loading it takes 10 ms and 3 MiB of a start, and four times as long in a process that loads little else.
 */
export const { Agent, createServer, request } = process.getBuiltinModule("node:http");
