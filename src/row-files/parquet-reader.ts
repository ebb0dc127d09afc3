import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaTree,
} from "hyparquet";
import { PIECE_ROWS, type FileRow, RowFileError, type RowReader } from "./row-file.ts";
import { decimalScale, isNested, PARSERS, toJson, UnreadableCell, type ValueForm } from "./parquet-values.ts";

/** A row group is decoded as a whole. */
const GROUP_BYTES_MAX = 1024 * 1024 * 1024;

/**
 * Reads Parquet by row group, with the compressions none, Snappy, GZip, Brotli and Zstandard.
 * @throws RowFileError
 */
export async function openParquetReader(path: string): Promise<RowReader> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false }).catch((cause: unknown) => {
    throw new RowFileError("The file is not Parquet, or its end is missing.", { cause });
  });
  const columns = parquetSchema(metadata).children;
  const names = columns.map(({ element }) => element.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new RowFileError(`The file has two columns ${JSON.stringify(twice)}.`);
  const forms = columns.map(formOf);
  return { columns: names, pieces: { [Symbol.asyncIterator]: () => piecesOf(file, metadata, forms) } };
}

function formOf(column: SchemaTree): ValueForm {
  const { element } = column;
  const { logical_type: logical, name } = element;
  if (isNested(column) && hasDecimal(column))
    throw new RowFileError(
      `The column ${JSON.stringify(name)} has decimals within lists or objects, which cannot be read.`,
    );
  return {
    name,
    scale: decimalScale(element),
    isLocalTime: logical?.type === "TIMESTAMP" && !logical.isAdjustedToUTC,
  };
}

function hasDecimal({ element, children }: SchemaTree): boolean {
  return decimalScale(element) !== null || children.some(hasDecimal);
}

async function* piecesOf(
  file: AsyncBuffer,
  metadata: FileMetaData,
  forms: readonly ValueForm[],
): AsyncGenerator<readonly FileRow[], void, void> {
  // Without their type, decimals are read as whole numbers, and not as the nearest double.
  const schema = metadata.schema.map((element) => {
    if (decimalScale(element) === null) return element;
    const { converted_type: _converted, logical_type: _logical, ...plain } = element;
    return plain;
  });
  let before = 0;
  for (const [at, { num_rows, total_byte_size }] of metadata.row_groups.entries()) {
    if (total_byte_size > GROUP_BYTES_MAX)
      throw new RowFileError(`Row group ${at + 1} has more than 1 GiB. Write the file with smaller row groups.`);
    const [rowStart, rowEnd] = [before, before + Number(num_rows)];
    const found = await readRows({ file, metadata: { ...metadata, schema }, rowStart, rowEnd }).catch(
      (cause: unknown) => {
        const reason = cause instanceof Error ? cause.message.replace(/^parquet /, "") : "unknown";
        throw new RowFileError(`Row group ${at + 1} cannot be read: ${reason}.`, { cause });
      },
    );
    if (found.length !== rowEnd - rowStart) throw new RowFileError(`Row group ${at + 1} is incomplete.`);
    for (let from = 0; from < found.length; from += PIECE_ROWS)
      yield found.slice(from, from + PIECE_ROWS).map((row, index) => toRow(before + from + index + 1, row, forms));
    before = rowEnd;
  }
}

async function readRows(
  range: Pick<Parameters<typeof parquetRead>[0], "file" | "metadata" | "rowStart" | "rowEnd">,
): Promise<readonly (readonly unknown[])[]> {
  let found: readonly (readonly unknown[])[] = [];
  await parquetRead({
    ...range,
    compressors: COMPRESSORS,
    geoparquet: false,
    parsers: PARSERS,
    utf8: false,
    onComplete: (rows) => (found = rows),
  });
  return found;
}

function toRow(number: number, row: readonly unknown[], forms: readonly ValueForm[]): FileRow {
  try {
    return { number, values: Object.fromEntries(forms.map((form, at) => [form.name, toJson(row[at], form)])) };
  } catch (error) {
    if (error instanceof UnreadableCell) return { number, problem: error.message };
    throw error;
  }
}

const COMPRESSORS: Compressors = {
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: length + 1 }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: length + 1 }),
  ZSTD: (bytes, length) => zstdDecompressSync(bytes, { maxOutputLength: length + 1 }),
};
