import type { ChangeEvent, HTMLInputAutoCompleteAttribute, ReactNode, RefObject } from 'react';
import styles from './form.module.css';

interface InputAttributes {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

interface FieldFrameProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean;
  readonly error: string | null;
  /** Whether the field shares its row with the next field on wide screens. */
  readonly isHalfWidth?: boolean | undefined;
  readonly describedBy?: string;
  readonly children: (inputAttributes: InputAttributes) => ReactNode;
}

export function FieldFrame({
  id,
  label,
  hint,
  optional = false,
  error,
  isHalfWidth = false,
  describedBy,
  children,
}: FieldFrameProps) {
  const descriptionIds = [hint && `${id}-hint`, describedBy, error !== null && `${id}-error`].filter(Boolean);
  return (
    <div className={styles.field} data-half={isHalfWidth || undefined}>
      <label htmlFor={id}>
        {label}
        {optional ? <span className={styles.optional}> (optional)</span> : null}
      </label>
      {hint ? (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {children({
        id,
        'aria-invalid': error !== null,
        'aria-describedby': descriptionIds.length === 0 ? undefined : descriptionIds.join(' '),
      })}
      {error === null ? null : (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface InputLineProps {
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly isMono?: boolean | undefined;
  readonly children: ReactNode;
}

export function InputLine({ prefix, suffix, isMono = false, children }: InputLineProps) {
  return (
    <span className={styles.line} data-mono={isMono}>
      {prefix ? <span aria-hidden="true">{prefix}</span> : null}
      {children}
      {suffix ? <span aria-hidden="true">{suffix}</span> : null}
    </span>
  );
}

export interface FieldValueProps {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly error?: string | null;
  readonly onValue: (value: string) => void;
}

export interface FieldProps extends FieldValueProps {
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly hint?: string | undefined;
  readonly optional?: boolean;
  readonly prefix?: string;
  readonly autoComplete?: HTMLInputAutoCompleteAttribute;
  /** Makes the field a textarea with this many rows. */
  readonly rows?: number;
  readonly maxLength?: number;
  readonly isMono?: boolean;
}

export function Field({
  error = null,
  onValue,
  label,
  type = 'text',
  hint,
  optional = false,
  prefix,
  rows,
  isMono = false,
  ...attributes
}: FieldProps) {
  const controlProps = {
    ...attributes,
    required: !optional,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onValue(target.value),
  };
  return (
    <FieldFrame id={controlProps.id} label={label} hint={hint} optional={optional} error={error}>
      {(inputAttributes) =>
        rows === undefined ? (
          <InputLine prefix={prefix} isMono={isMono}>
            <input
              {...controlProps}
              {...inputAttributes}
              type={type}
              spellCheck={type === 'text' && !isMono ? undefined : false}
            />
          </InputLine>
        ) : (
          <textarea {...controlProps} {...inputAttributes} className={styles.lines} rows={rows} />
        )
      }
    </FieldFrame>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface OptionsProps {
  readonly choices: readonly Choice[];
  readonly optional?: boolean;
}

/** The options of a select. None is selected at first, and only an optional select can be cleared. */
export function SelectOptions({ choices, optional = false }: OptionsProps) {
  return (
    <>
      {optional ? (
        <option value="">None</option>
      ) : (
        <option value="" disabled hidden>
          Choose
        </option>
      )}
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  );
}

export function SelectField({
  id,
  name,
  value,
  error = null,
  onValue,
  label,
  choices,
}: FieldValueProps & { readonly label: string; readonly choices: readonly Choice[] }) {
  return (
    <FieldFrame id={id} label={label} error={error}>
      {(inputAttributes) => (
        <select
          {...inputAttributes}
          className={styles.lines}
          name={name}
          value={value}
          required
          onChange={({ target }) => onValue(target.value)}
        >
          <SelectOptions choices={choices} />
        </select>
      )}
    </FieldFrame>
  );
}

interface ErrorSummaryProps {
  readonly errors: readonly { readonly id: string; readonly message: string }[];
  /** The element that gets the focus after a submission with errors. */
  readonly summary: RefObject<HTMLDivElement | null>;
}

export function ErrorSummary({ errors, summary }: ErrorSummaryProps) {
  if (errors.length === 0) return null;
  return (
    <div className={styles.summary} ref={summary} role="alert" tabIndex={-1}>
      <p className={styles.title}>There is a problem</p>
      <ul>
        {errors.map(({ id, message }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(id)?.focus();
              }}
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
