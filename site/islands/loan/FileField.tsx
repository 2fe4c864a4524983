import { useRef } from 'react';
import {
  HEIC_REMEDY,
  LOAN_FORM,
  type LoanFileFieldName,
  MAX_DOCUMENT_BYTES,
  tooLargeMessage,
} from '../../../data/model/forms/loan-form.ts';
import { FieldFrame } from '../form/Field.tsx';
import styles from '../form/form.module.css';
import localStyles from './loan.module.css';

/** Without HEIC, so that iPhones convert photos to JPEG. */
const ACCEPTED_TYPES = 'application/pdf,image/jpeg,image/png,image/webp';

/** Browsers report an empty type or `application/octet-stream` for files that they do not recognize. */
const MEDIA_TYPES = new Set([...ACCEPTED_TYPES.split(','), '', 'application/octet-stream']);
const HEIC = /^image\/hei[cf]$/;

/** The error message for a file; null if its size and type are valid. The server checks the content. */
export function fileError(name: LoanFileFieldName, file: Pick<File, 'size' | 'type'> | null): string | null {
  const { label, missing } = LOAN_FORM.fields[name];
  const noun = label.toLowerCase();
  if (file === null) return missing;
  if (file.size === 0) return `The ${noun} is empty. Choose another file.`;
  if (file.size > MAX_DOCUMENT_BYTES) return tooLargeMessage(name);
  if (HEIC.test(file.type)) return `The ${noun} is a HEIC picture. ${HEIC_REMEDY}`;
  return MEDIA_TYPES.has(file.type)
    ? null
    : `The ${noun} isn’t a PDF, JPEG, PNG or WebP. Choose another file.`;
}

/** Such as `9.4 MB` or `312 kB`. */
export function fileSizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const megabytes = bytes / 1_000_000;
  return megabytes < 0.9995 ? `${Math.round(bytes / 1_000)} kB` : `${megabytes.toFixed(1)} MB`;
}

interface FileFieldProps {
  readonly id: string;
  readonly name: LoanFileFieldName;
  readonly file: File | null;
  /** The name of a file that was chosen before a reload; null if there is none. */
  readonly lostFileName: string | null;
  readonly error: string | null;
  readonly onFile: (file: File | null) => void;
}

export function FileField({ id, name, file, lostFileName, error, onFile }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const { label, hint } = LOAN_FORM.fields[name];
  return (
    // The error for an invalid file appears at once; the error for a missing file, only on submit.
    <FieldFrame
      id={id}
      label={label}
      hint={hint}
      error={error ?? (file && fileError(name, file))}
      describedBy={`${id}-chosen`}
    >
      {(inputAttributes) => (
        <>
          <input
            {...inputAttributes}
            ref={input}
            className={localStyles.file}
            name={name}
            type="file"
            accept={ACCEPTED_TYPES}
            required
            onChange={({ target }) => {
              const [chosenFile] = target.files ?? [];
              // Closing the picker without a choice keeps the previous file.
              if (chosenFile) onFile(chosenFile);
              target.value = '';
            }}
          />
          <p className={localStyles.chosenFile} id={`${id}-chosen`}>
            {file === null ? null : (
              <>
                <span className={localStyles.fileName}>{file.name}</span>
                <span className={styles.quiet}>{fileSizeText(file.size)}</span>
                <button
                  type="button"
                  className={localStyles.remove}
                  onClick={() => {
                    onFile(null);
                    input.current?.focus();
                  }}
                >
                  Remove<span className="visually-hidden"> the {label.toLowerCase()}</span>
                </button>
              </>
            )}
            {file === null && lostFileName !== null ? (
              <span className={styles.quiet}>
                Choose {lostFileName} again. Reloading the page removed it.
              </span>
            ) : null}
          </p>
        </>
      )}
    </FieldFrame>
  );
}
