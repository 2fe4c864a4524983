import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './modal-dialog.module.css';

interface ModalDialogProps {
  readonly labelledby: string;
  /** Whether a request is running. Until its outcome is shown, the dialog cannot be closed. */
  readonly isBusy: boolean;
  /** Called after the dialog closes, for any reason. */
  readonly onClose: () => void;
  readonly children: (close: () => void) => ReactNode;
}

/** A dialog over the whole page. A click outside it, Escape or one of its own buttons closes it. */
export function ModalDialog({ labelledby, isBusy, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Whether the last press began outside the dialog. A drag that selects text can end with a click outside. */
  const isPressedOutside = useRef(false);
  // Runs before the paint, so that the next key already reaches the dialog.
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
      // While the focus is in an element with this attribute, the shortcut keys of the page behind it do nothing.
      aria-modal
      onClose={() => {
        // A dialog around this one may have closed this one and reopened it at once.
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
