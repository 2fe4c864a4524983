import type { HTMLInputAutoCompleteAttribute } from 'react';
import styles from './form.module.css';

/** What a form knows of one of its fields. */
export interface FieldWiring {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** What is wrong with the value, in words, or null. */
  readonly fault: string | null;
  readonly onValue: (value: string) => void;
}

interface FieldProps extends FieldWiring {
  readonly label: string;
  readonly type?: 'text' | 'email' | 'tel' | 'password';
  readonly hint?: string;
  /** Said of one that may be left empty. */
  readonly optional?: boolean;
  readonly autoComplete?: HTMLInputAutoCompleteAttribute;
  /** Makes a text of several lines. */
  readonly rows?: number;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly maxLength?: number;
  readonly inputMode?: 'decimal';
  readonly mono?: boolean;
  readonly readOnly?: boolean;
}

/** A field with its label, its hint and its fault, wired to each other. */
export function Field({
  id,
  name,
  value,
  fault,
  onValue,
  label,
  type = 'text',
  hint,
  optional = false,
  autoComplete,
  rows,
  prefix,
  suffix,
  maxLength,
  inputMode,
  mono = false,
  readOnly = false,
}: FieldProps) {
  const described = [hint ? `${id}-hint` : '', fault === null ? '' : `${id}-fault`].filter(Boolean).join(' ');
  const wired = {
    id,
    name,
    value,
    maxLength,
    autoComplete,
    readOnly,
    required: !optional && !readOnly,
    'aria-invalid': fault !== null,
    'aria-describedby': described === '' ? undefined : described,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        {label}
        {optional ? <span className={styles.optional}> (optional)</span> : null}
      </label>
      {hint ? (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {rows === undefined ? (
        <span className={styles.line} data-mono={mono}>
          {prefix ? <span aria-hidden="true">{prefix}</span> : null}
          <input
            {...wired}
            type={type}
            inputMode={inputMode}
            spellCheck={type === 'text' && !mono ? undefined : false}
            onChange={({ target }) => onValue(target.value)}
          />
          {suffix ? <span aria-hidden="true">{suffix}</span> : null}
        </span>
      ) : (
        <textarea
          {...wired}
          className={styles.lines}
          rows={rows}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
      {fault === null ? null : (
        <p className={styles.fault} id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
