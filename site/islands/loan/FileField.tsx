import { useRef } from 'react';
import type { FieldWiring } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import { fileSize } from './chosen-file.ts';
import own from './loan.module.css';

interface FileFieldProps extends Omit<FieldWiring, 'value' | 'onValue'> {
  readonly label: string;
  readonly hint: string;
  readonly accept: string;
  readonly file: File | null;
  /** The name of a file that was chosen before the page was loaded anew, and is not held any more. */
  readonly lost: string | null;
  readonly onFile: (file: File | null) => void;
}

/** A field that takes one file, shown with its name and size, which can be exchanged or taken out. */
export function FileField({ id, name, fault, label, hint, accept, file, lost, onFile }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const described = [`${id}-hint`, `${id}-chosen`, fault === null ? '' : `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <p className={styles.hint} id={`${id}-hint`}>
        {hint}
      </p>
      <input
        ref={input}
        className={own.file}
        id={id}
        name={name}
        type="file"
        accept={accept}
        required
        aria-invalid={fault !== null}
        aria-describedby={described}
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          // Left without a choice, the picker leaves what was chosen before.
          if (chosen) onFile(chosen);
          target.value = '';
        }}
      />
      <p className={own.chosen} id={`${id}-chosen`}>
        {file === null ? null : (
          <>
            <span className={own.name}>{file.name}</span>
            <span className={styles.quiet}>{fileSize(file.size)}</span>
            <button
              type="button"
              className={own.remove}
              onClick={() => {
                onFile(null);
                input.current?.focus();
              }}
            >
              Remove<span className="visually-hidden"> the {label.toLowerCase()}</span>
            </button>
          </>
        )}
        {file === null && lost !== null ? (
          <span className={styles.quiet}>Choose {lost} again: files do not survive a reload.</span>
        ) : null}
      </p>
      {fault === null ? null : (
        <p className={styles.fault} id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
