import { useState } from 'react';
import type { ExportFormat, ExportType } from '../../../data/contract/admin-files.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import styles from './admin-desk.module.css';
import { saveExport } from './desk-calls.ts';
import { useMay } from './role.ts';

/** Saves all rows of a kind. A failure is logged only. */
export async function exportRows(type: ExportType, format: ExportFormat): Promise<void> {
  try {
    await saveExport(type, format);
    void showToast({
      title: 'Export saved',
      text: `Every row, as ${format.toUpperCase()}.`,
      kind: 'success',
    });
  } catch (error) {
    console.error('The export failed.', error);
  }
}

/** Exports are for who decides: they hold everyone's data at once. */
export function ExportButtons({ type }: { readonly type: ExportType }) {
  const mayExport = useMay('reviewer');
  const [busy, setBusy] = useState<ExportFormat | null>(null);
  if (!mayExport) return null;
  const run = async (format: ExportFormat) => {
    setBusy(format);
    await exportRows(type, format);
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
