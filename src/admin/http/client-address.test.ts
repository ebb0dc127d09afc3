import assert from "node:assert/strict";
import { test } from "node:test";
import { clientAddress } from "./client-address.ts";

test("a client is known by its network if it could have any address of it", () => {
  const of = (remoteAddress: string) => clientAddress({ remoteAddress });
  assert.equal(of("192.0.2.7"), "192.0.2.7");
  assert.equal(of("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2");
  assert.equal(of("2001:db8::9"), "2001:db8:0:0");
  assert.equal(of("::1"), "0:0:0:0");
  assert.equal(of(""), "");
});
