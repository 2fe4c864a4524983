import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EXPORT_CALLS, type ExportFormat } from '../../../data/contract/admin-files.ts';
import { LIST_IDS, type ListId, listOf } from '../../../data/model/admin-lists.ts';
import { csvLines } from '../../../data/model/csv.ts';
import { exportedFields } from '../../../data/model/define-list.ts';
import type { ExportPage, ListedRows } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../known-calls.ts';
import type { PortalContext } from '../../portal-context.ts';
import { readQuery } from '../../request-input.ts';
import { adminRecord } from '../admin-audit.ts';
import { adminRoute } from '../admit-admin.ts';
import { type ExportRow, rowWriters } from './wire-rows.ts';

/** Rows read into memory at a time. */
const ROWS_PER_PAGE = 500;

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};
/** The byte order mark, without which spreadsheets do not recognize UTF-8. */
const UTF8_MARK = '\uFEFF';

/** Yields the text of a file in large chunks. A JSON file ends with a bracket, so a truncated file does not parse. */
async function* chunksOf(
  columns: readonly string[],
  format: ExportFormat,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<string> {
  if (format === 'csv') {
    yield `${UTF8_MARK}${csvLines([columns])}`;
    for await (const rows of pages) {
      yield csvLines(rows.map((row) => columns.map((column) => row[column]?.toString() ?? null)));
    }
    return;
  }
  let before = '[\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield `${before}${rows.map((row) => JSON.stringify(row)).join(',\n')}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The calls that export a whole list as a file. */
export function exportRoutes(context: PortalContext): readonly ApiRoute[] {
  const { store, admit, now, decimals, log } = context;

  async function* pagesOf<Id extends ListId>(list: Id, until: number): AsyncGenerator<readonly ExportRow[]> {
    const write = rowWriters(list).exported;
    const known = decimals();
    let after: string | null = null;
    do {
      const page: ExportPage<ListedRows[Id]> = await store.records.exportPage(list, {
        after,
        until,
        limit: ROWS_PER_PAGE,
      });
      yield page.rows.map((row) => write(row, known));
      after = page.next;
    } while (after !== null);
  }

  return LIST_IDS.map((list) =>
    adminRoute(EXPORT_CALLS[list], { admit, limit: 'admin-exports' }, async (admin, request, response) => {
      const { format = 'json' } = readQuery(EXPORT_CALLS[list].query, request.query);
      const at = now();
      // Recorded before the first byte is sent, so that aborted exports are recorded too.
      const details = { type: list, format };
      await store.recordAudit(adminRecord(admin, { action: 'records.exported', at, details }));
      const day = new Date(at).toISOString().slice(0, 10);
      response.set({
        'Content-Type': MEDIA_TYPES[format],
        'Content-Disposition': `attachment; filename="blackduck-${list}-${day}.${format}"`,
      });
      const columns = Object.keys(exportedFields(listOf(list)));
      try {
        await pipeline(Readable.from(chunksOf(columns, format, pagesOf(list, at))), response);
      } catch (error) {
        if (!response.headersSent) throw error;
        // Closes the connection, so that nobody mistakes a truncated file for a whole one.
        if (!response.destroyed) response.destroy();
        log.warn({ err: error, list }, 'an export was aborted');
      }
    }),
  );
}
