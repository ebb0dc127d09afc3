import { createHash, createHmac } from "node:crypto";

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

export interface AwsRequest {
  readonly url: URL;
  readonly service: string;
  readonly region: string;
  /** Names in lower case. `host` and the date are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs a POST with Signature Version 4. Returns the header fields to send. */
export function signAws({ url, service, region, headers, body }: AwsRequest, keys: AwsKeys, wallAt: number) {
  const time = new Date(wallAt).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const fields: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-date": time,
    ...(keys.sessionToken !== undefined && { "x-amz-security-token": keys.sessionToken }),
  };
  const names = Object.keys(fields).sort();
  const canonical = [
    "POST",
    url.pathname,
    url.search.slice(1),
    ...names.map((name) => `${name}:${fields[name]!.trim()}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  let key = hmac(`AWS4${keys.secretAccessKey}`, day);
  for (const part of [region, service, "aws4_request"]) key = hmac(key, part);
  const signature = hmac(key, text).toString("hex");
  return {
    ...fields,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
