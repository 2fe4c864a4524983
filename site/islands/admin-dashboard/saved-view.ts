import type { ListId } from '../../../data/model/admin-lists.ts';
import type { ListView } from '../admin/admin-calls.ts';
import { readView } from './dashboard-route.ts';

export type SavedView = Pick<ListView, 'q' | 'filters' | 'sort' | 'order' | 'rows'>;

/**
 * Converts a saved view to a view of the list. Drops filters and a sort field that the list no longer has, and returns their
 * names.
 */
export function viewFromSaved(
  list: ListId,
  savedView: SavedView,
): { readonly view: ListView; readonly droppedNames: readonly string[] } {
  const parameters = new URLSearchParams({ ...savedView.filters, rows: String(savedView.rows) });
  parameters.set('q', savedView.q);
  parameters.set('sort', `${savedView.order === 'desc' ? '-' : ''}${savedView.sort}`);
  const view = readView(list, parameters);
  const droppedFilters = Object.keys(savedView.filters).filter(
    (name) => view.filters[name] !== savedView.filters[name],
  );
  return {
    view,
    droppedNames: view.sort === savedView.sort ? droppedFilters : [...droppedFilters, savedView.sort],
  };
}
