import { type ReactNode, useEffect, useRef } from 'react';
import styles from './modal-dialog.module.css';

interface ModalDialogProps {
  /** The id of its heading. */
  readonly labelledby: string;
  /** While it is busy it cannot be closed: what is under way would be answered to nobody. */
  readonly isBusy: boolean;
  /** Called once it is closed, however that happens. */
  readonly onClose: () => void;
  readonly children: (close: () => void) => ReactNode;
}

/** A sheet over the whole page, which a click beside it, Escape, or one of its own buttons closes. */
export function ModalDialog({ labelledby, isBusy, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  const close = () => dialog.current?.close();
  return (
    // The keyboard's way to close it is Escape, which the browser gives every modal dialog.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={labelledby}
      onClose={onClose}
      onCancel={(event) => {
        if (isBusy) event.preventDefault();
      }}
      onClick={({ target }) => {
        if (target === dialog.current && !isBusy) close();
      }}
    >
      <div className={styles.sheet}>{children(close)}</div>
    </dialog>
  );
}
