import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Addresses without a location, from the IANA special-purpose address registries (RFC 6890 and its successors) and the
 * multicast and reserved blocks. If two ranges overlap, the narrower one comes first.
 */
const RANGES: readonly (readonly [kind: string, cidrs: readonly string[]])[] = [
  ["unspecified", ["0.0.0.0/32", "::/128"]],
  ["this_network", ["0.0.0.0/8"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
  ["carrier_grade_nat", ["100.64.0.0/10"]],
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["link_local", ["169.254.0.0/16", "fe80::/10"]],
  ["documentation", ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"]],
  ["benchmarking", ["198.18.0.0/15", "2001:2::/48"]],
  ["as112", ["192.31.196.0/24", "192.175.48.0/24", "2001:4:112::/48", "2620:4f:8000::/48"]],
  ["multicast_tunnel", ["192.52.193.0/24", "2001:3::/32"]],
  ["6to4", ["192.88.99.0/24", "2002::/16"]],
  ["teredo", ["2001::/32"]],
  ["identifier", ["2001:10::/28", "2001:20::/28", "2001:30::/28"]],
  ["protocol_assignment", ["192.0.0.0/24", "2001::/23"]],
  ["broadcast", ["255.255.255.255/32"]],
  ["multicast", ["224.0.0.0/4", "ff00::/8"]],
  ["nat64", ["64:ff9b::/96", "64:ff9b:1::/48"]],
  ["discard", ["100::/64", "100:0:0:1::/64"]],
  ["segment_routing", ["5f00::/16"]],
  ["site_local", ["fec0::/10"]],
  ["ipv4_compatible", ["::/96"]],
  ["reserved", ["240.0.0.0/4"]],
];

export const RANGE_KINDS: readonly string[] = ["public", ...RANGES.map(([kind]) => kind)];

interface Block {
  readonly kind: string;
  readonly contains: (address: Address) => boolean;
}

const BLOCKS: readonly Block[] = RANGES.flatMap(([kind, cidrs]) =>
  cidrs.map((cidr) => ({ kind, contains: blockOf(cidr) })),
);

/** The part of IPv6 that has been assigned for global use so far. */
const isGlobalUnicast = blockOf("2000::/3");

function blockOf(cidr: string): (address: Address) => boolean {
  if (ipaddr.IPv4.isValidCIDR(cidr)) {
    const block = ipaddr.IPv4.parseCIDR(cidr);
    return (address) => address instanceof ipaddr.IPv4 && address.match(block);
  }
  const block = ipaddr.IPv6.parseCIDR(cidr);
  return (address) => address instanceof ipaddr.IPv6 && address.match(block);
}

/** The kind of range that contains an address: `public`, or the reason why it has no location. */
export function rangeKind(address: Address): string {
  const block = BLOCKS.find(({ contains }) => contains(address));
  if (block !== undefined) return block.kind;
  return address instanceof ipaddr.IPv6 && !isGlobalUnicast(address) ? "reserved" : "public";
}
