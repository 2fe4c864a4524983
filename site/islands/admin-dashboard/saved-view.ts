import type { ListId } from '../../../data/model/admin-lists.ts';
import type { ListView } from '../admin/admin-calls.ts';
import { readList } from './dashboard-route.ts';

/** The parts of a view that a saved filter contains. */
export type SavedView = Pick<ListView, 'q' | 'filters' | 'sort' | 'order' | 'rows'>;

/** The view of a saved filter without fields and values that the list no longer has, and the names of what was left out. */
export function viewFromSaved(
  list: ListId,
  saved: SavedView,
): { readonly view: ListView; readonly dropped: readonly string[] } {
  const parameters = new URLSearchParams({ ...saved.filters, rows: String(saved.rows) });
  parameters.set('q', saved.q);
  parameters.set('sort', `${saved.order === 'desc' ? '-' : ''}${saved.sort}`);
  const view = readList(list, parameters);
  const filters = Object.keys(saved.filters).filter((name) => view.filters[name] !== saved.filters[name]);
  return { view, dropped: view.sort === saved.sort ? filters : [...filters, saved.sort] };
}
