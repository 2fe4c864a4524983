import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { type CellValue, writeXlsxStream } from 'hucre/xlsx';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import { csvLines } from '../../../data/model/csv.ts';
import type { FieldKind, Fields } from '../../../data/model/define-list.ts';
import type { ExportRow } from './wire-rows.ts';

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
/** Without this byte order mark, spreadsheet programs do not recognize UTF-8. */
const UTF8_BOM = '\uFEFF';

type Cell = ExportRow[string];
/** Pages of rows. Each row has its cells in the order of the columns. */
export type ExportPages = AsyncIterable<readonly (readonly Cell[])[]>;

export async function* csvChunks(columns: readonly string[], pages: ExportPages): AsyncGenerator<string> {
  yield `${UTF8_BOM}${csvLines([columns])}`;
  for await (const rows of pages) {
    yield csvLines(rows.map((row) => row.map((cell) => cell?.toString() ?? null)));
  }
}

/** The closing bracket comes last, so a truncated file does not parse. */
export async function* jsonChunks(columns: readonly string[], pages: ExportPages): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index]])),
    );
    yield `${separator}${objects.map((row) => JSON.stringify(row)).join(',\n')}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** Matches numbers of at most 15 digits. Spreadsheet programs store them exactly. */
const EXACT_NUMBER = /^(?=(?:\D*\d){1,15}\D*$)(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Times become dates, amounts become numbers if they stay exact, and everything else is text. */
function spreadsheetCell(cell: Cell, kind: FieldKind): CellValue {
  if (typeof cell !== 'string') return cell ?? null;
  if (kind === 'moment') return new Date(cell);
  return kind === 'bd' && EXACT_NUMBER.test(cell) ? Number(cell) : cell;
}

async function* spreadsheetRows(
  kinds: readonly FieldKind[],
  pages: ExportPages,
): AsyncGenerator<CellValue[]> {
  for await (const rows of pages) {
    for (const row of rows) yield row.map((cell, index) => spreadsheetCell(cell, kinds[index] ?? 'text'));
  }
}

/**
 * Sends a file while generating it. On an error, closes the connection, so that nobody mistakes the truncated file for a
 * complete one.
 * @returns the error; null if the whole file was sent
 */
export async function sendExport(
  response: Response,
  { name, format }: { readonly name: string; readonly format: ExportFormat },
  file: Readable,
): Promise<unknown> {
  response.set({
    'Content-Type': MEDIA_TYPES[format],
    'Content-Disposition': `attachment; filename="${name}.${format}"`,
  });
  try {
    await pipeline(file, response);
    return null;
  } catch (error) {
    if (!response.destroyed) response.destroy();
    return error;
  }
}

export function exportFile(format: ExportFormat, fields: Fields, pages: ExportPages): Readable {
  const columns = Object.keys(fields);
  switch (format) {
    case 'csv':
      return Readable.from(csvChunks(columns, pages));
    case 'json':
      return Readable.from(jsonChunks(columns, pages));
    case 'xlsx': {
      const kinds = Object.values(fields).map(({ kind }) => kind);
      const sheet = writeXlsxStream(spreadsheetRows(kinds, pages), {
        name: 'Export',
        columns: kinds.map((kind, index) => ({
          header: columns[index] ?? '',
          ...(kind === 'moment' ? { numFmt: 'yyyy-mm-dd hh:mm:ss' } : {}),
        })),
        freezePane: { rows: 1 },
      });
      return Readable.from(sheet);
    }
  }
}
