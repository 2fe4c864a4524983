import type { ListId } from '../../../data/model/admin-lists.ts';
import type { ListView } from '../admin/admin-calls.ts';
import { readList } from './dashboard-route.ts';

/** What a saved filter keeps of a view. */
export type SavedView = Pick<ListView, 'q' | 'filters' | 'sort' | 'order' | 'rows'>;

/** The view of a saved filter, without what the list no longer has, and the names of that. */
export function viewOfSaved(
  list: ListId,
  saved: SavedView,
): { readonly view: ListView; readonly lost: readonly string[] } {
  const parameters = new URLSearchParams({ ...saved.filters, rows: String(saved.rows) });
  parameters.set('q', saved.q);
  parameters.set('sort', `${saved.order === 'desc' ? '-' : ''}${saved.sort}`);
  const view = readList(list, parameters);
  const filters = Object.keys(saved.filters).filter((name) => view.filters[name] !== saved.filters[name]);
  return { view, lost: view.sort === saved.sort ? filters : [...filters, saved.sort] };
}
