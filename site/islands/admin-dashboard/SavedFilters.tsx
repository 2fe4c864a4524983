import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { savedFilters } from '../../../data/contract/admin-filters.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { PAGE_SIZES } from '../../../data/model/page-sizes.ts';
import { MAX_FILTER_NAME_LENGTH } from '../../../data/model/saved-filters.ts';
import {
  adminQuery,
  type ListView,
  ownSessionQuery,
  type SavedFilter,
  useChange,
  useHasRole,
} from '../admin/admin-calls.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { type Dashboard, listRoute } from './dashboard-route.ts';
import record from './record.module.css';
import styles from './saved-filters.module.css';
import { type SavedView, viewFromSaved } from './saved-view.ts';

interface SavedFiltersProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly dashboard: Dashboard;
}

const savedViewOf = ({ q, filters, sort, order, rows }: ListView): SavedView => ({
  ...{ q, filters, sort, order, rows },
});

const isSameView = (one: ListView, other: ListView): boolean => {
  const textOf = ({ q, filters, sort, order }: ListView) =>
    JSON.stringify([q, Object.entries(filters).toSorted(), sort, order]);
  return textOf(one) === textOf(other);
};

export default function SavedFilters({ list, view, dashboard }: SavedFiltersProps) {
  const { data } = useQuery(adminQuery<typeof savedFilters>(PATHS.savedFilters));
  const [editedFilter, setEditedFilter] = useState<SavedFilter | 'new' | null>(null);
  const filters = data?.filters.filter((one) => one.list === list) ?? [];
  return (
    <div className={styles.saved} data-saved-filters>
      {filters.map((filter) => {
        const { view: restoredView, droppedNames } = viewFromSaved(list, filter.view as SavedView);
        return (
          <span key={filter.id} className={styles.filter} data-current={isSameView(restoredView, view)}>
            <button
              type="button"
              aria-pressed={isSameView(restoredView, view)}
              data-filter={filter.id}
              onClick={() => dashboard.show(listRoute(list, restoredView))}
            >
              {filter.name}
              {droppedNames.length === 0 ? null : (
                <span
                  data-dropped-filters={droppedNames.join(' ')}
                  title={`The list no longer has: ${droppedNames.join(', ')}`}
                >
                  {' '}
                  (incomplete)
                </span>
              )}
            </button>
            <button
              type="button"
              aria-label={`Options for filter ${filter.name}`}
              onClick={() => setEditedFilter(filter)}
            >
              <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                <path d="M3 8h.01M8 8h.01M13 8h.01" />
              </svg>
            </button>
          </span>
        );
      })}
      <button type="button" className={styles.save} onClick={() => setEditedFilter('new')}>
        Save filter
      </button>
      {editedFilter === null ? null : (
        <FilterDialog
          list={list}
          view={view}
          filter={editedFilter === 'new' ? null : editedFilter}
          onClose={() => setEditedFilter(null)}
        />
      )}
    </div>
  );
}

interface FilterDialogProps extends Omit<SavedFiltersProps, 'dashboard'> {
  /** The filter to change; null to save a new one. */
  readonly filter: SavedFilter | null;
  readonly onClose: () => void;
}

function FilterDialog({ list, view, filter, onClose }: FilterDialogProps) {
  const { isBusy, notice, sendAndNotify, showError } = useChange();
  const { data: session } = useQuery(ownSessionQuery());
  const mayShare = useHasRole('reviewer') === true;
  const isOwner = useHasRole('owner') === true;
  const [name, setName] = useState(filter?.name ?? '');
  const [isShared, setShared] = useState(filter?.isShared ?? false);
  const [replacesView, setReplacesView] = useState(false);
  const mayChange = filter === null || filter.adminId === session?.user.id || isOwner;
  const save = (close: () => void) => {
    if (name.trim() === '') return showError('Enter a name.');
    const currentView = savedViewOf(view);
    const rows = PAGE_SIZES.find((size) => size === currentView.rows) ?? PAGE_SIZES[0];
    const savedView = filter === null || replacesView ? { ...currentView, rows } : filter.view;
    const body = { id: filter?.id ?? null, list, name: name.trim(), view: savedView, isShared };
    void sendAndNotify(PATHS.saveFilter, body, () => {
      close();
      return null;
    });
  };
  const remove = (id: string, close: () => void) =>
    void sendAndNotify(PATHS.removeFilter, { id }, () => {
      close();
      return null;
    });
  return (
    <ModalDialog labelledby="filter-title" isBusy={isBusy} onClose={onClose}>
      {(close) => (
        <form
          className={`${form.form} ${record.record}`}
          data-filter-form
          noValidate
          onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
            event.preventDefault();
            if (mayChange && !isBusy) save(close);
          }}
        >
          <h2 id="filter-title">{filter === null ? 'Save filter' : 'Saved filter'}</h2>
          <p className={form.quiet}>
            {filter === null
              ? `Saves the search, filters and sort order of “${listDefinition(list).tab}”.`
              : `Saved by ${filter.owner}.`}
          </p>
          {mayChange ? (
            <>
              <Field
                id="filter-name"
                name="name"
                value={name}
                error={null}
                onValue={setName}
                label="Name"
                maxLength={MAX_FILTER_NAME_LENGTH}
              />
              {mayShare ? (
                <label className={styles.check}>
                  <input
                    type="checkbox"
                    name="isShared"
                    checked={isShared}
                    onChange={() => setShared(!isShared)}
                  />
                  Share with the team
                </label>
              ) : null}
              {filter === null ? null : (
                <label className={styles.check}>
                  <input
                    type="checkbox"
                    name="replaces"
                    checked={replacesView}
                    onChange={() => setReplacesView(!replacesView)}
                  />
                  Replace with the current view of the list
                </label>
              )}
            </>
          ) : null}
          {notice === null ? null : (
            <p className={form.error} role="alert">
              {notice.message}
            </p>
          )}
          <p className={form.actions}>
            {mayChange ? (
              <button type="submit" className="button gold" aria-disabled={isBusy}>
                Save
              </button>
            ) : null}
            {filter !== null && mayChange ? (
              <button
                type="button"
                className="button"
                aria-disabled={isBusy}
                onClick={() => remove(filter.id, close)}
              >
                Remove
              </button>
            ) : null}
            <button type="button" className="button" disabled={isBusy} onClick={close}>
              {mayChange ? 'Cancel' : 'Close'}
            </button>
          </p>
        </form>
      )}
    </ModalDialog>
  );
}
