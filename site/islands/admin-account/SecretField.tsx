import { Field } from '../form/Field.tsx';

interface SecretFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  /** A password that somebody chooses, which the browser may make up; else the one that holds. */
  readonly isNew?: boolean;
}

/** A field for a password, which is kept nowhere in the browser. */
export function SecretField({ id, label, value, onValue, hint, isNew = false }: SecretFieldProps) {
  return (
    <Field
      id={id}
      name={id}
      value={value}
      fault={null}
      onValue={onValue}
      label={label}
      type="password"
      autoComplete={isNew ? 'new-password' : 'current-password'}
      maxLength={256}
      {...(hint === undefined ? {} : { hint })}
    />
  );
}
