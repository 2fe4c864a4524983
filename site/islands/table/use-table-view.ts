import { useStore } from '@nanostores/react';
import { useMemo } from 'react';
import type { TableView } from './column.ts';
import { $pageQuery, setPageQuery } from './page-query.ts';
import { readTableView, type TableTerms, writeTableView } from './table-address.ts';

export interface TableControl {
  readonly view: TableView;
  /**
   * Changes the view and with it the page's address. Whatever is changed but the page leads to the first one. Text that
   * is typed makes no step of the history for each letter.
   */
  readonly change: (part: Partial<TableView>) => void;
}

/** A table's view, kept in the page's address: it can be shared, and the way back leads through it. */
export function useTableView(terms: TableTerms): TableControl {
  const query = useStore($pageQuery, { ssr: 'initial' });
  const view = useMemo(() => readTableView(query, terms), [query, terms]);
  const change = (part: Partial<TableView>) => {
    const changed = { ...view, page: 1, ...part };
    setPageQuery(writeTableView(query, changed, terms), part.find === undefined ? 'push' : 'replace');
  };
  return { view, change };
}
