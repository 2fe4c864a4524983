import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import type { ListId } from '../../../data/model/admin-lists.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { saveExport } from '../admin/admin-calls.ts';

/** Saves all rows of a list as a file. If that fails, the error is only logged. */
export async function exportRows(list: ListId, format: ExportFormat): Promise<void> {
  try {
    await saveExport(list, format);
    void showToast({ title: 'Export saved', text: `All rows, as ${format.toUpperCase()}.`, kind: 'success' });
  } catch (error) {
    console.error('The export failed.', error);
  }
}
