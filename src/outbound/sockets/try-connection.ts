import { type ConnectError, type Destination, type SocketNeeds, SocketOpening } from "./open-socket.ts";

/** Opens a connection and closes it at once. Resolves to `null`, or to the reason of a failure. Never rejects. */
export function tryConnection(destination: Destination, needs: SocketNeeds): Promise<ConnectError | null> {
  return new Promise((resolve) => {
    const opened = (socket: { destroy(): unknown }): void => {
      socket.destroy();
      resolve(null);
    };
    // oxlint-disable-next-line no-new -- it calls back
    new SocketOpening(destination, needs, opened, resolve, () => {});
  });
}
