import { lazy, Suspense, useState } from 'react';
import type { ListId } from '../../../data/model/admin-lists.ts';
import { type ListView, useHasRole } from '../admin/admin-calls.ts';
import styles from './dashboard.module.css';

const ExportDialog = lazy(() => import('./ExportDialog.tsx'));

interface ExportButtonProps {
  readonly list: ListId;
  readonly view: ListView;
  /** The number of matching rows; undefined if it is not yet known, or not exact. */
  readonly total: number | undefined;
}

/**
 * Shown only to reviewers and owners, because an export contains applicants' data. The command palette can also open the
 * export dialog.
 */
export function ExportButton({ list, view, total }: ExportButtonProps) {
  const mayExport = useHasRole('reviewer');
  const [isOpen, setOpen] = useState(false);
  if (!mayExport) return null;
  return (
    <div className={styles.exports}>
      <button type="button" className="button" data-export-view onClick={() => setOpen(true)}>
        Export Data
      </button>
      {isOpen ? (
        <Suspense>
          <ExportDialog list={list} view={view} total={total} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
