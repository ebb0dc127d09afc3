import { isIPv6, type Socket } from "node:net";

/**
 * The part of a client's address that the client cannot choose: for IPv6 the network, in which it can use any address.
 */
export function clientAddress({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = (part: string) => part.split(":").filter((group) => group !== "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups(head).length - groups(tail).length);
  return [...groups(head), ...Array.from({ length: zeros }, () => "0"), ...groups(tail ?? "")].slice(0, 4).join(":");
}
