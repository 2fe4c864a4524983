import { type SubmitEvent, useState } from 'react';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { exportedFields } from '../../../data/model/define-list.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { errorText } from '../../data/call-error.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { type ListView, saveExport } from '../admin/admin-calls.ts';
import { adminFetch } from '../admin/admin-session.ts';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import dashboard from './dashboard.module.css';
import styles from './export.module.css';
import record from './record.module.css';
import saved from './saved-filters.module.css';

const FORMATS: readonly { readonly id: ExportFormat; readonly label: string }[] = [
  { id: 'xlsx', label: 'Excel (XLSX)' },
  { id: 'csv', label: 'CSV' },
  { id: 'json', label: 'JSON' },
];

interface ExportDialogProps {
  readonly list: ListId;
  readonly view: ListView;
  readonly total: number | undefined;
  readonly onClose: () => void;
}

/**
 * Saves the rows of a list's view as a file. The request contains the view in its body and not in its URL, because the search
 * text may be a person's name.
 * @throws {RequestError}
 */
async function exportView(
  list: ListId,
  { q, filters, sort, order }: ListView,
  { format, columns }: { readonly format: ExportFormat; readonly columns: readonly string[] },
): Promise<void> {
  const search = q.trim() === '' ? {} : { q: q.trim() };
  const payload = { ...filters, ...search, sort, order, format, columns };
  await saveExport(list, format, await adminFetch('POST', PATHS.adminExport(list), { payload }));
}

/** The field's label in the record dialog or in the list. A field without a label gets its name, split into words. */
function labelOfField(list: ListId, field: string): string {
  const { columns, dialogFields } = listDefinition(list);
  const fallbackLabel = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const labeledField = [...dialogFields, ...columns].find((one) => one.field === field);
  return labeledField?.label ?? fallbackLabel.charAt(0).toUpperCase() + fallbackLabel.slice(1);
}

export default function ExportDialog({ list, view, total, onClose }: ExportDialogProps) {
  const fields = Object.keys(exportedFields(listDefinition(list)));
  const [format, setFormat] = useState<ExportFormat>('xlsx');
  const [chosenFields, setChosenFields] = useState<ReadonlySet<string>>(new Set(fields));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const filterCount = Object.keys(view.filters).length + (view.q.trim() === '' ? 0 : 1);
  const toggle = (field: string) => {
    const next = new Set(chosenFields);
    if (!next.delete(field)) next.add(field);
    setChosenFields(next);
  };
  const save = async (close: () => void) => {
    setBusy(true);
    setError(null);
    try {
      await exportView(list, view, { format, columns: fields.filter((field) => chosenFields.has(field)) });
      void showToast({ title: 'Export saved', text: `As ${format.toUpperCase()}.`, kind: 'success' });
      setBusy(false);
      close();
    } catch (failure) {
      setBusy(false);
      setError(errorText(failure, 'The export failed. Try again.'));
    }
  };
  return (
    <ModalDialog labelledby="export-title" isBusy={isBusy} onClose={onClose}>
      {(close) => (
        <form
          className={`${form.form} ${record.record}`}
          data-export
          onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
            event.preventDefault();
            if (!isBusy && chosenFields.size > 0) void save(close);
          }}
        >
          <h2 id="export-title">Export: {listDefinition(list).tab}</h2>
          <p className={form.quiet}>
            {total === 0
              ? 'No row matches the search and the filters.'
              : `Exports ${total === undefined ? 'the rows' : `${formatCount(total)} ${total === 1 ? 'row' : 'rows'}`}${filterCount === 0 ? '' : ' that match the search and the filters'}, in the order of the list. The audit trail records the export.`}
          </p>
          <fieldset className={styles.fields}>
            <legend>Format</legend>
            {FORMATS.map(({ id, label }) => (
              <label key={id} className={saved.check}>
                <input type="radio" name="format" checked={format === id} onChange={() => setFormat(id)} />
                {label}
              </label>
            ))}
          </fieldset>
          <fieldset className={styles.fields}>
            <legend>
              Columns{' '}
              <button
                type="button"
                className={dashboard.link}
                onClick={() => setChosenFields(new Set(fields))}
              >
                All
              </button>{' '}
              <button type="button" className={dashboard.link} onClick={() => setChosenFields(new Set())}>
                None
              </button>
            </legend>
            {fields.map((field) => (
              <label key={field} className={saved.check}>
                <input
                  type="checkbox"
                  name={field}
                  checked={chosenFields.has(field)}
                  onChange={() => toggle(field)}
                />
                {labelOfField(list, field)}
              </label>
            ))}
          </fieldset>
          {error === null ? null : (
            <p className={form.error} role="alert">
              {error}
            </p>
          )}
          <p className={form.actions}>
            <button type="submit" className="button gold" aria-disabled={isBusy || chosenFields.size === 0}>
              {isBusy ? 'Exporting...' : 'Download'}
            </button>
            <button type="button" className="button" disabled={isBusy} onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
    </ModalDialog>
  );
}
