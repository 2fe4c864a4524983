import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  EXPORT_TYPES,
  type ExportFormat,
  type ExportType,
  exportApplications,
  exportContacts,
  exportDeliveryLogs,
  exportLoans,
  exportRequests,
} from '../../../data/contract/admin-files.ts';
import { csvLines } from '../../../data/model/csv.ts';
import type { ListedRows, ListName } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../known-calls.ts';
import { readQuery } from '../../query.ts';
import { limitCalls } from '../../security/rate-limit.ts';
import { adminRecord } from '../admin-audit.ts';
import { adminRoute } from '../admin-route.ts';
import type { RecordDesk } from './record-desk.ts';
import { applicationDetailsOf, contactDetailsOf, loanDetailsOf, requestDetailsOf } from './record-details.ts';
import { deliveryLogRowOf } from './record-rows.ts';

const EXPORTS_PER_MINUTE = 10;
/** Rows that are read, and held, at once. */
const ROWS_AT_ONCE = 500;

type Cell = string | number | boolean | null;
type Row = Readonly<Record<string, Cell>>;

/** What is exported: which list, and its rows as files have them. */
interface Exported<Name extends ListName> {
  readonly list: Name;
  readonly rowOf: (row: ListedRows[Name], decimals: number | null) => Row;
}

const EXPORTED = {
  applications: { list: 'applications', rowOf: applicationDetailsOf } satisfies Exported<'applications'>,
  contacts: { list: 'contacts', rowOf: contactDetailsOf } satisfies Exported<'contacts'>,
  'delivery-logs': {
    list: 'attempts',
    rowOf: (row) => {
      const { isRetryable, ...fields } = deliveryLogRowOf(row);
      return fields;
    },
  } satisfies Exported<'attempts'>,
  'verification-requests': { list: 'requests', rowOf: requestDetailsOf } satisfies Exported<'requests'>,
  'loan-applications': { list: 'loans', rowOf: loanDetailsOf } satisfies Exported<'loans'>,
};

const CALLS = {
  applications: exportApplications,
  contacts: exportContacts,
  'delivery-logs': exportDeliveryLogs,
  'verification-requests': exportRequests,
  'loan-applications': exportLoans,
} satisfies Record<ExportType, unknown>;

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};
/** Without it spreadsheets take a file of UTF-8 for one of their own encoding. */
const UTF8_MARK = '\uFEFF';

const cellText = (cell: Cell | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);

/** The columns of a file: those of its schema, also where there is no row. */
const columnsOf = (type: ExportType): readonly string[] => Object.keys(CALLS[type].response.element.shape);

/** Chunks of a file, of many rows each. A file of JSON ends with a bracket: one that was cut off does not parse. */
async function* chunksOf(
  type: ExportType,
  format: ExportFormat,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  if (format === 'csv') {
    const columns = columnsOf(type);
    yield `${UTF8_MARK}${csvLines([columns])}`;
    for await (const rows of pages) {
      yield csvLines(rows.map((row) => columns.map((column) => cellText(row[column]))));
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

/** The calls that hand out all rows of a list as a file. */
export function exportRoutes(desk: RecordDesk): readonly ApiRoute[] {
  const { store, admit, now, decimals, log, perMinute } = desk;
  const limit = limitCalls(perMinute ?? EXPORTS_PER_MINUTE, 'admin-exports');

  async function* pagesOf<Name extends ListName>(
    { list, rowOf }: Exported<Name>,
    until: number,
  ): AsyncGenerator<readonly Row[]> {
    const known = decimals();
    let after: string | null = null;
    do {
      const page: { rows: readonly ListedRows[Name][]; next: string | null } = await store.records.exportPage(
        list,
        { after, until, limit: ROWS_AT_ONCE },
      );
      yield page.rows.map((row) => rowOf(row, known));
      after = page.next;
    } while (after !== null);
  }

  const pages = (type: ExportType, until: number): AsyncGenerator<readonly Row[]> => {
    switch (type) {
      case 'applications':
        return pagesOf<'applications'>(EXPORTED[type], until);
      case 'contacts':
        return pagesOf<'contacts'>(EXPORTED[type], until);
      case 'delivery-logs':
        return pagesOf<'attempts'>(EXPORTED[type], until);
      case 'verification-requests':
        return pagesOf<'requests'>(EXPORTED[type], until);
      case 'loan-applications':
        return pagesOf<'loans'>(EXPORTED[type], until);
    }
  };

  return EXPORT_TYPES.map((type) =>
    adminRoute(
      CALLS[type],
      admit,
      async (admin, request, response) => {
        const { format = 'json' } = readQuery(CALLS[type].query, request.query);
        const at = now();
        // Before anything of it goes out: who takes rows away is known even where the line breaks.
        await store.recordAudit(
          adminRecord(admin, { action: 'records.exported', at, details: { type, format } }),
        );
        const day = new Date(at).toISOString().slice(0, 10);
        response.set({
          'Content-Type': MEDIA_TYPES[format],
          'Content-Disposition': `attachment; filename="blackduck-${type}-${day}.${format}"`,
        });
        try {
          await pipeline(Readable.from(chunksOf(type, format, pages(type, at))), response);
        } catch (error) {
          // The rest cannot be told from within the file: the line is cut, so that no part passes for the whole.
          if (!response.headersSent) throw error;
          if (!response.destroyed) response.destroy();
          log.warn({ err: error, type }, 'an export was cut off');
        }
      },
      limit,
    ),
  );
}
