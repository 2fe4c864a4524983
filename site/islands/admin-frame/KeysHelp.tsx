import { UNDO_MS } from '../../../data/model/undo.ts';
import styles from '../admin-dashboard/record.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';

const KEYS = [
  ['Ctrl K or ⌘ K', 'Search all records, or run a command: open a page, export, log out'],
  ['j or ↓, k or ↑', 'Next or previous row. If a record is open, show that row’s record'],
  ['Enter', 'Open the record'],
  ['x', 'Select the row, for an action on several records'],
  ['a', 'Approve, on a row or in its record'],
  ['r', 'Refuse, on a row or in its record'],
  ['v', 'In a card application: start the review'],
  ['i', 'In a card application: mark the card as issued'],
  ['w', 'In an approved verification request: remove the wallet from the whitelist'],
  ['m', 'In a record: assign it to yourself'],
  ['e', 'In a record: write a message to the person'],
  ['t', 'In a record: write a note'],
  ['c', 'In a message: close it'],
  ['o', 'In a closed message or a decided record: reopen it'],
  ['z', `Undo your last decision within ${UNDO_MS / 1_000} seconds`],
  ['n and p', 'Next and previous page; in a record, next and previous record'],
  ['/', 'Search the list'],
  ['Esc', 'Leave a field or a form, or close the record'],
  ['?', 'Show these shortcuts'],
] as const;

export default function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <ModalDialog labelledby="keys-title" isBusy={false} onClose={onClose}>
      {(close) => (
        <div className={styles.record}>
          <header className={styles.keysHead}>
            <h2 id="keys-title">Keyboard shortcuts</h2>
            <button type="button" className="button" onClick={close}>
              Close
            </button>
            <p className={styles.quiet}>
              Single keys work in lists and dialogs, but not while you type in a field.
            </p>
          </header>
          <dl className={`definitions ${styles.keys}`}>
            {KEYS.map(([keys, effect]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </ModalDialog>
  );
}
