import assert from "node:assert/strict";
import { test } from "node:test";
import { signAws } from "./sign-aws.ts";

/** The case `post-vanilla` of the test suite that AWS publishes for Signature Version 4. */
test("a request is signed as AWS signs it", () => {
  const keys = {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    sessionToken: undefined,
  };
  const request = { url: new URL("https://example.amazonaws.com/"), service: "service", region: "us-east-1" };
  const { authorization } = signAws({ ...request, headers: {}, body: "" }, keys, Date.parse("2015-08-30T12:36:00Z"));
  assert.equal(
    authorization,
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  );
});
