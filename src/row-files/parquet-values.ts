import type { ParquetParsers, SchemaElement, SchemaTree } from "hyparquet";
import type { Json } from "../terms/json/json.ts";
import { DAY_MS } from "../terms/time/durations.ts";

/** What `toJson` needs to know of a column. */
export interface ValueForm {
  readonly name: string;
  /** The digits after the point of a decimal, which is read as a whole number or its bytes; `null` for others. */
  readonly scale: number | null;
  /** Whether its times are without a time zone. */
  readonly isLocalTime: boolean;
}

/** A cell that JSON cannot express. The message names its column. */
export class UnreadableCell extends Error {}

export function decimalScale({
  converted_type: converted,
  logical_type: logical,
  scale,
}: SchemaElement): number | null {
  if (logical?.type === "DECIMAL") return logical.scale;
  return converted === "DECIMAL" ? (scale ?? 0) : null;
}

export function isNested({ element, children }: SchemaTree): boolean {
  return children.length > 0 || element.repetition_type === "REPEATED";
}

/** Bytes that should be a text and are not UTF-8, or a JSON text that is none. */
class UnreadableValue {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function toText(bytes: Uint8Array): unknown {
  try {
    return utf8.decode(bytes);
  } catch {
    return new UnreadableValue("is not UTF-8");
  }
}

/** The readers of `hyparquet` round times to milliseconds, and replace bytes that are not UTF-8. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => whenPresent(millis, () => timeText(millis, 3)),
  timestampFromMicroseconds: (micros) => whenPresent(micros, () => timeText(micros, 6)),
  timestampFromNanoseconds: (nanos) => whenPresent(nanos, () => timeText(nanos, 9)),
  dateFromDays: (days) => whenPresent(days, () => dateText(days)),
  stringFromBytes: (bytes) => whenPresent(bytes, () => toText(bytes)),
  jsonFromBytes: (bytes) => whenPresent(bytes, () => readJson(bytes)),
};

function whenPresent(value: unknown, read: () => unknown): unknown {
  return value === undefined || value === null ? value : read();
}

function readJson(bytes: Uint8Array): unknown {
  const text = toText(bytes);
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new UnreadableValue("is not JSON");
  }
}

function dateText(days: number): unknown {
  const date = new Date(days * DAY_MS);
  return Number.isNaN(date.getTime()) ? new UnreadableValue("is not a date") : date.toISOString().replace(/T.*/, "");
}

/** A time in ISO 8601 with as many digits of the second as it has, and at least milliseconds. */
function timeText(value: bigint, digits: 3 | 6 | 9): unknown {
  const aMilli = 10n ** BigInt(digits - 3);
  const below = ((value % aMilli) + aMilli) % aMilli;
  const date = new Date(Number((value - below) / aMilli));
  if (Number.isNaN(date.getTime())) return new UnreadableValue("is not a time");
  const text = date.toISOString();
  return below === 0n
    ? text
    : text.replace(
        "Z",
        `${String(below)
          .padStart(digits - 3, "0")
          .replace(/0+$/, "")}Z`,
      );
}

/** @throws UnreadableCell */
export function toJson(value: unknown, form: ValueForm): Json {
  if (value === undefined || value === null) return null;
  if (form.scale !== null) return decimalText(value, form.scale);
  return convert(value, form);
}

function convert(value: unknown, form: ValueForm): Json {
  if (value === undefined || value === null) return null;
  if (value instanceof UnreadableValue) throw unreadable(form, value.what);
  if (typeof value === "string") return form.isLocalTime ? value.replace(/Z$/, "") : value;
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") {
    // A missing number, as pandas writes it.
    if (Number.isNaN(value)) return null;
    if (!Number.isFinite(value)) throw unreadable(form, "is not a finite number");
    return value;
  }
  if (value instanceof Uint8Array) return convert(toText(value), form);
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value as ArrayLike<unknown>, (one) => convert(one, form));
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, convert(part, form)]));
}

function unreadable({ name }: ValueForm, what: string): UnreadableCell {
  return new UnreadableCell(`the column ${JSON.stringify(name)} ${what}`);
}

function decimalText(value: unknown, scale: number): string {
  const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value as number | bigint);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const text = scale <= 0 ? digits + "0".repeat(-scale) : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return unscaled < 0n ? `-${text}` : text;
}

/** A big-endian whole number in two's complement. */
function signedOf(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
}
