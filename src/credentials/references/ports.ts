/** Sends one request to a store of secrets and reads its whole reply. Rejects if there is none. */
export type SecretRequest = (request: {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}) => Promise<SecretReply>;

export interface SecretReply {
  readonly status: number;
  readonly text: string;
}

/** Reads the value of one kind of reference. @throws SecretUnavailable */
export type ReadSecret<Of> = (reference: Of) => Promise<string>;
