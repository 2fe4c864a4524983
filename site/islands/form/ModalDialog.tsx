import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './modal-dialog.module.css';

interface ModalDialogProps {
  readonly labelledby: string;
  /** Whether a request is in progress. Meanwhile, Escape and a click outside do not close the dialog. */
  readonly isBusy: boolean;
  /** Called after the dialog closes, for any reason. */
  readonly onClose: () => void;
  readonly children: (close: () => void) => ReactNode;
}

/** A click outside the dialog, Escape or one of its own buttons closes it. */
export function ModalDialog({ labelledby, isBusy, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Whether the last press began outside the dialog. A drag that selects text begins inside, and must not close the dialog. */
  const isPressedOutside = useRef(false);
  // Runs before the browser paints, so that the next key press goes to the dialog.
  useLayoutEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  const close = () => dialog.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users press Escape, which closes every modal dialog
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={labelledby}
      // The page's keyboard shortcuts do nothing while the focus is in an element with this attribute.
      aria-modal
      onClose={() => {
        // An enclosing dialog may have closed this one and reopened it immediately.
        if (dialog.current?.open !== true) onClose();
      }}
      onCancel={(event) => {
        if (isBusy) event.preventDefault();
      }}
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === dialog.current;
      }}
      onClick={({ target }) => {
        if (target === dialog.current && isPressedOutside.current && !isBusy) close();
      }}
    >
      <div className={styles.sheet}>{children(close)}</div>
    </dialog>
  );
}
