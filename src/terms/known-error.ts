import { constants } from "node:os";

/**
 * What may be revealed about an error of outside code: its class and code, if the platform, one of our libraries or our
 * own code defines them. Outside code can put anything into both, even a vendor's answer.
 */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const PLATFORMS = words(`
  Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError SuppressedError SystemError
  AbortError TimeoutError DOMException DataCloneError InvalidStateError AssertionError QuotaExceededError
  InvalidCharacterError NotSupportedError`);
const LIBRARIES = words(`
  ConnectTimeoutError HeadersTimeoutError BodyTimeoutError SocketError RequestAbortedError HTTPParserError
  InformationalError ClientDestroyedError ClientClosedError SecureProxyConnectionError InvalidArgumentError
  ResponseContentLengthMismatchError RequestContentLengthMismatchError DatabaseError error`);
const OURS = words("Fault OperatorError StoreRefused StoreMissing RootKeyError ConfigError LoadError JsonError");
const CLASSES: ReadonlySet<string> = new Set([PLATFORMS, LIBRARIES, OURS].flat());

const LOOKUPS = words("ENOTFOUND ENODATA ESERVFAIL EFORMERR ETIMEOUT ENOTIMP EBADRESP ECANCELLED");
const CODES: ReadonlySet<string> = new Set([Object.keys(constants.errno), LOOKUPS].flat());
const CODE_SHAPE = /^(?:(?:ERR|UND_ERR|HPE|CERT|EAI|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)_[A-Z_]{1,60}|[0-9A-Z]{5})$/;

/** Returns a known name; `null` for an unknown one. */
export function knownClass(name: unknown): string | null {
  return typeof name === "string" && CLASSES.has(name) ? name : null;
}

export function knownCode(code: unknown): string | null {
  return typeof code === "string" && (CODES.has(code) || CODE_SHAPE.test(code)) ? code : null;
}
