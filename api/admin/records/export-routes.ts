import type { Response } from 'express';
import {
  EXPORT_CALLS,
  type ExportFormat,
  FILTERED_EXPORT_CALLS,
} from '../../../data/contract/admin-files.ts';
import { LIST_IDS, type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { exportedFields } from '../../../data/model/define-list.ts';
import type { ListedRows, ListQuery, StoredPage } from '../../../data/store/record-port.ts';
import type { ApiRoute } from '../../call-router.ts';
import type { PortalContext } from '../../portal-context.ts';
import { readBody, readQuery } from '../../request-input.ts';
import { adminAuditRecord } from '../admin-audit.ts';
import { adminRoute, type SignedInAdmin } from '../authorize-admin.ts';
import { type ExportPages, exportFile, sendExport } from './export-file.ts';
import { type ListParameters, queryOf } from './list-routes.ts';
import { rowWriters } from './wire-rows.ts';

const ROWS_PER_PAGE = 500;

interface ExportRequest {
  readonly list: ListId;
  readonly format: ExportFormat;
  readonly query: ListQuery;
  /** The fields to export; null for all fields. */
  readonly columns: readonly string[] | null;
  /** The names of the filters in use, for the audit trail. */
  readonly filters: readonly string[];
}

/** Properties other than `format` and `columns` filter and sort the rows. They differ from list to list. */
interface ExportBody {
  readonly format?: ExportFormat | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly [parameter: string]: unknown;
}

export function exportRoutes(context: PortalContext): readonly ApiRoute[] {
  const { store, authorize, now, decimals, log } = context;

  async function* pagesOf<Id extends ListId>(
    list: Id,
    query: ListQuery,
    columns: readonly string[],
  ): ExportPages {
    const write = rowWriters(list).exported;
    const bdDecimals = decimals();
    let after: string | null = null;
    do {
      const page: StoredPage<ListedRows[Id]> = await store.records.list(list, { ...query, after });
      // If the last record of the previous page was deleted, this page is empty. The file must not end early.
      if (after !== null && page.rows.length === 0) throw new Error('A list changed during its export.');
      yield page.rows.map((row) => {
        const cells = write(row, bdDecimals);
        return columns.map((column) => cells[column] ?? null);
      });
      after = page.next;
    } while (after !== null);
  }

  async function send(
    admin: SignedInAdmin,
    { list, format, query, columns, filters }: ExportRequest,
    response: Response,
  ): Promise<void> {
    const at = now();
    // The export is recorded before the first byte is sent, so that aborted exports are recorded too.
    const details = {
      ...{ type: list, format },
      ...(filters.length > 0 ? { filters: filters.join(', ') } : {}),
      ...(columns === null ? {} : { columns: columns.join(', ') }),
    };
    await store.recordAudit(adminAuditRecord(admin, { action: 'records.exported', at, details }));
    const day = new Date(at).toISOString().slice(0, 10);
    const allFields = exportedFields(listDefinition(list));
    const names = columns ?? Object.keys(allFields);
    const fields = Object.fromEntries(
      names.flatMap((name) => (allFields[name] ? [[name, allFields[name]]] : [])),
    );
    // Leaves out records that arrive during the export. `before` is exclusive, hence `at + 1`.
    const before = Math.min(query.before ?? at + 1, at + 1);
    const pages = pagesOf(list, { ...query, before, limit: ROWS_PER_PAGE, skipsTotal: true }, names);
    const file = { name: `blackduck-${list}-${day}`, format };
    const error = await sendExport(response, file, exportFile(format, fields, pages));
    if (error !== null) log.warn({ err: error, list }, 'an export was aborted');
  }

  const options = { authorize, limit: 'admin-exports' } as const;
  return LIST_IDS.flatMap((list) => {
    const { query: parameters } = EXPORT_CALLS[list];
    const { body } = FILTERED_EXPORT_CALLS[list];
    return [
      adminRoute(EXPORT_CALLS[list], options, (admin, request, response) => {
        const { format = 'json' } = readQuery(parameters, request.query);
        const query = queryOf(list, { order: 'asc' }, admin.id, now());
        return send(admin, { list, format, query, columns: null, filters: [] }, response);
      }),
      adminRoute(FILTERED_EXPORT_CALLS[list], options, (admin, request, response) => {
        const { format = 'json', columns: chosenColumns, ...view }: ExportBody = readBody(body, request.body);
        const { sort: _sort, order: _order, ...filters } = view;
        const query = queryOf(list, view as ListParameters, admin.id, now());
        const columns = chosenColumns ?? null;
        return send(admin, { list, format, query, columns, filters: Object.keys(filters) }, response);
      }),
    ];
  });
}
