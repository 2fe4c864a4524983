import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ExportFormat, ExportType } from '../../../data/contract/admin-files.ts';
import type { adminRecord } from '../../../data/contract/admin-record.ts';
import type { adminStats } from '../../../data/contract/admin-stats.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { adminFetch } from '../admin/admin-session.ts';
import { FOR_ADMINS } from '../admin/own-session.ts';
import { saveBlob } from '../download/offer-download.ts';
import type { ListView } from './desk-address.ts';
import type { ListTab } from './list-terms.ts';

// Named by their types alone: the declaring modules would bring their schemas into the browser.
const STATS: (typeof adminStats)['path'] = '/api/admin/dashboard/stats';
const RECORD: (typeof adminRecord)['path'] = '/api/admin/record';

export type DeskStats = ResponseOf<typeof adminStats>;
export type DeskRecord = ResponseOf<typeof adminRecord>;

/** What every list answers beside its rows. */
export interface ListPage {
  readonly total: number;
  readonly isTotalExact: boolean;
  readonly next: string | null;
}

/** Milliseconds between two looks at the figures of the overview. */
const LOOK_EVERY = 30_000;

/** Every query of records begins with it: a decision makes them all be read again. */
export const RECORDS = 'admin records';

async function readJson(path: string, signal: AbortSignal, headers?: Record<string, string>) {
  return (await adminFetch('GET', path, { signal, ...(headers ? { headers } : {}) })).json();
}

/** The figures of the overview, read again and again while somebody is there. */
export function statsQuery(isAttended: boolean) {
  return queryOptions<DeskStats>({
    ...FOR_ADMINS,
    queryKey: [RECORDS, STATS],
    queryFn: ({ signal }) => readJson(`${STATS}?t=${Date.now()}`, signal, { 'Cache-Control': 'no-cache' }),
    refetchInterval: isAttended ? LOOK_EVERY : false,
  });
}

/** The parameters of a list's call, but for the text that is searched for. */
export function listParameters(view: ListView): Readonly<Record<string, string>> {
  const { filters, sort, order, rows, after } = view;
  return { limit: String(rows), ...filters, sort, order, ...(after === null ? {} : { after }) };
}

/** A page of a list. A search is posted: its text may be a name or a mail address. */
export function listQuery<Body extends ListPage>(tab: ListTab, view: ListView) {
  const path = `/api/admin/${tab}`;
  const q = view.q.trim();
  return queryOptions<Body>({
    ...FOR_ADMINS,
    queryKey: [RECORDS, tab, listParameters(view), q],
    queryFn: async ({ signal }) => {
      const parameters = listParameters(view);
      if (q === '') return readJson(`${path}?${new URLSearchParams(parameters)}`, signal);
      return (await adminFetch('POST', path, { signal, payload: { ...parameters, q } })).json();
    },
    placeholderData: keepPreviousData,
  });
}

export function recordQuery(reference: string) {
  return queryOptions<DeskRecord>({
    ...FOR_ADMINS,
    queryKey: [RECORDS, RECORD, reference],
    queryFn: ({ signal }) => readJson(`${RECORD}?reference=${reference}`, signal),
  });
}

/** The day (UTC) that the name of an export tells. */
const today = () => new Date().toISOString().slice(0, 10);

/** Saves every row of a kind as a file that is named by the day. @throws {RequestError} */
export async function saveExport(type: ExportType, format: ExportFormat): Promise<void> {
  const response = await adminFetch('GET', `/api/admin/export/${type}?format=${format}`);
  saveBlob(`${type}-${today()}.${format}`, await response.blob());
}

const DOCUMENTS = '/api/admin/loan-documents';

/** The bytes of a document of a loan application. @throws {RequestError} */
export async function readDocument(id: string, as: 'view' | 'file'): Promise<Blob> {
  return (await adminFetch('GET', `${DOCUMENTS}?id=${id}&as=${as}`)).blob();
}
