import { ModalDialog } from '../form/ModalDialog.tsx';
import styles from './record.module.css';

const KEYS = [
  ['Ctrl K or ⌘ K', 'Commands: tabs, search, export, logout'],
  ['← and →', 'Another tab, on the tabs'],
  ['j or ↓, k or ↑', 'Next row, row before'],
  ['Enter', 'Open the record'],
  ['a', 'Approve: on a row, and in its dialog'],
  ['r', 'Refuse, with the reason'],
  ['v', 'Take a card application into review, in its dialog'],
  ['i', 'Card issued, in its dialog'],
  ['n and p', 'Next page and page before; in a dialog, next record and record before'],
  ['/', 'Search the list'],
  ['Esc', 'Leave a field, a form or a dialog'],
  ['?', 'These keys'],
] as const;

/** The keys of the dashboard. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <ModalDialog labelledby="keys-title" isBusy={false} onClose={onClose}>
      {(close) => (
        <div className={styles.record}>
          <header>
            <h2 id="keys-title">Keys</h2>
            <p className={styles.quiet}>
              Single keys work while the focus is in a list or a dialog, not in a field.
            </p>
          </header>
          <dl className={`definitions ${styles.keys}`}>
            {KEYS.map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <footer>
            <button type="button" className="button" onClick={close}>
              Close
            </button>
          </footer>
        </div>
      )}
    </ModalDialog>
  );
}
