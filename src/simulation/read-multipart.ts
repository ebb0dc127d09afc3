/** A part with a file, as in `request.body.multipart` of a source. */
interface FilePart {
  /** The content in Base64. */
  readonly file: string;
  readonly name: string;
  readonly type: string;
}

type MultipartPart = string | FilePart;

/** The parts of a body of `multipart/form-data` by name; a name that occurs several times has a list. `null`: it is none. */
export function readMultipart(
  bytes: Buffer,
  contentType: string,
): Record<string, MultipartPart | readonly MultipartPart[]> | null {
  const boundary = /^multipart\/form-data\s*;\s*boundary="?([^";]+)/i.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const parts = new Map<string, MultipartPart[]>();
  const mark = Buffer.from(`--${boundary}`);
  let start = bytes.indexOf(mark);
  for (let end: number; start >= 0; start = end) {
    start += mark.length + LINE_END.length;
    end = bytes.indexOf(mark, start);
    if (end < 0) break;
    const part = bytes.subarray(start, end - LINE_END.length);
    const headEnd = part.indexOf(LINE_END.repeat(2));
    if (headEnd < 0) continue;
    const head = part.toString("utf8", 0, headEnd);
    const name = /; name="([^"]*)"/.exec(head)?.[1] ?? "";
    parts.set(name, [...(parts.get(name) ?? []), toPart(head, part.subarray(headEnd + 2 * LINE_END.length))]);
  }
  return Object.fromEntries([...parts].map(([name, found]) => [name, found.length === 1 ? found[0]! : found]));
}

const LINE_END = "\r\n";

function toPart(head: string, content: Buffer): MultipartPart {
  const fileName = /; filename="([^"]*)"/.exec(head)?.[1];
  if (fileName === undefined) return content.toString("utf8");
  const type = /^content-type:\s*(.*)$/im.exec(head)?.[1] ?? "";
  return { file: content.toString("base64"), name: fileName.replaceAll("%22", '"'), type };
}
