import { useState } from 'react';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import type { ListId } from '../../../data/model/admin-lists.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { saveExport, useMay } from '../admin/admin-calls.ts';
import styles from './dashboard.module.css';

/** Saves all rows of a list as a file. If that fails, the error is only logged. */
export async function exportRows(list: ListId, format: ExportFormat): Promise<void> {
  try {
    await saveExport(list, format);
    void showToast({ title: 'Export saved', text: `All rows, as ${format.toUpperCase()}.`, kind: 'success' });
  } catch (error) {
    console.error('The export failed.', error);
  }
}

/** Shown to reviewers and owners only, because an export contains the data of all applicants. */
export function ExportButtons({ list }: { readonly list: ListId }) {
  const mayExport = useMay('reviewer');
  const [busy, setBusy] = useState<ExportFormat | null>(null);
  if (!mayExport) return null;
  const run = async (format: ExportFormat) => {
    setBusy(format);
    await exportRows(list, format);
    setBusy(null);
  };
  const button = (format: ExportFormat, label: string) => (
    <button
      type="button"
      className="button"
      aria-disabled={busy !== null}
      onClick={() => void (busy ?? run(format))}
    >
      {busy === format ? 'Exporting...' : label}
    </button>
  );
  return (
    <p className={styles.exports}>
      {button('json', 'Export Data')}
      {button('csv', 'CSV')}
    </p>
  );
}
