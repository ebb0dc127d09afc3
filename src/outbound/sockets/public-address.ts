import ipaddr from "ipaddr.js";

/** Azure's WireServer, which hands out secrets to virtual machines. Its address is in a public range. */
const HOST_SERVICE = "168.63.129.16";

/**
 * Whether an address may be reached without being declared: true only for unicast addresses of the public Internet.
 * Loopback, private, link-local (cloud metadata), shared, benchmarking and all other special-purpose ranges are
 * refused.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Turns ::ffff:10.0.0.1 into 10.0.0.1.
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.range() === "unicast" && address.toString() !== HOST_SERVICE;
  const parts = (address as ipaddr.IPv6).parts;
  const range = address.range();
  if (range === "rfc6052" && parts[2] === 0) return isPublicAddress(embedded(parts));
  // Global unicast is 2000::/3. The rest is special-purpose or unassigned, including the deprecated ::127.0.0.1.
  return range === "unicast" && parts[0]! >> 13 === 1;
}

/** The IPv4 address in a NAT64 one (64:ff9b::a.b.c.d), through which a network without IPv4 reaches it. */
function embedded(parts: readonly number[]): string {
  const [high, low] = [parts[6]!, parts[7]!];
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}
