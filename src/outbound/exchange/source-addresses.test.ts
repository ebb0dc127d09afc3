import assert from "node:assert/strict";
import { test } from "node:test";
import { OriginRules } from "../../terms/origins.ts";
import { SourceAddresses } from "./source-addresses.ts";

const addresses = () => new SourceAddresses(new OriginRules(["https://api.acme.example", "https://*.bell.example"]));

test("an address that is known is not worked out again, and says the same", () => {
  const known = addresses();
  const first = known.read("https://API.acme.example:443/v1/person?a=1");
  assert.deepEqual(first, {
    url: {
      origin: "https://api.acme.example",
      protocol: "https:",
      hostname: "api.acme.example",
      port: "",
      pathname: "/v1/person",
      search: "?a=1",
    },
    match: "exact",
  });
  assert.equal(known.read("https://API.acme.example:443/v1/person?a=1"), first);
});

test("however many have been asked for, each is judged by itself", () => {
  const known = addresses();
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 20; index += 1) {
      assert.equal(known.read(`https://api.acme.example/${index}`).url.pathname, `/${index}`);
      assert.equal(known.read(`https://a${index}.bell.example/`).match, "pattern");
      assert.equal(known.read(`https://a${index}.other.example/`).match, null);
      assert.throws(() => known.read(`https://user@api.acme.example/${index}`), /user name/);
    }
  }
});
