import { isLongEnough, MIN_PASSWORD_LENGTH, PASSWORD_TOO_SHORT } from '../../../data/model/admin-rules.ts';
import type { Choice } from '../form/Field.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import type { ChangeNotice } from './admin-calls.ts';

/** The roles, from least to most. */
export const ROLE_CHOICES: readonly Choice[] = [
  { value: 'viewer', label: 'Viewer: can view' },
  { value: 'reviewer', label: 'Reviewer: can view and decide' },
  { value: 'owner', label: 'Owner: full access, including the team' },
];

/** The outcome of the last change. */
export function Notice({ notice }: { readonly notice: ChangeNotice | null }) {
  if (notice === null) return null;
  return notice.kind === 'done' ? (
    <p className={form.banner} role="status">
      {notice.message}
    </p>
  ) : (
    <Failure message={notice.message} />
  );
}

/** Why something failed. */
export function Failure({ message }: { readonly message: string }) {
  return (
    <div className={form.failure} role="alert">
      <p className={form.title}>{message}</p>
    </div>
  );
}

interface SecretFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  /** A password that the admin chooses; otherwise the current one. */
  readonly isNew?: boolean;
}

/** A field for a password, which the browser does not store with the form. */
export function SecretField({ id, label, value, onValue, hint, isNew = false }: SecretFieldProps) {
  return (
    <Field
      id={id}
      name={id}
      value={value}
      onValue={onValue}
      label={label}
      type="password"
      autoComplete={isNew ? 'new-password' : 'current-password'}
      maxLength={256}
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

interface CodeFieldProps {
  readonly id: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint: string;
}

/** A field for an authenticator app code. */
export function CodeField({ id, value, onValue, hint }: CodeFieldProps) {
  return (
    <Field
      id={id}
      name="code"
      value={value}
      onValue={onValue}
      label="Code"
      hint={hint}
      autoComplete="one-time-code"
      maxLength={64}
      mono
    />
  );
}

/** A new password, typed twice. */
interface NewPassword {
  readonly password: string;
  readonly repeated: string;
}
export const NO_PASSWORD: NewPassword = { password: '', repeated: '' };

/** What is wrong with a new password, or null. */
export function newPasswordError({ password, repeated }: NewPassword): string | null {
  if (!isLongEnough(password)) return PASSWORD_TOO_SHORT;
  return password === repeated ? null : 'Passwords do not match';
}

interface NewPasswordFieldsProps {
  /** Prefix of the ids of both fields. */
  readonly prefix: string;
  /** What the password is called: `New password`. */
  readonly label: string;
  readonly value: NewPassword;
  readonly onValue: (value: NewPassword) => void;
}

export function NewPasswordFields({ prefix, label, value, onValue }: NewPasswordFieldsProps) {
  return (
    <>
      <SecretField
        id={`${prefix}-password`}
        label={label}
        value={value.password}
        onValue={(password) => onValue({ ...value, password })}
        hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
        isNew
      />
      <SecretField
        id={`${prefix}-confirm`}
        label={`Confirm ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
        value={value.repeated}
        onValue={(repeated) => onValue({ ...value, repeated })}
        hint="Repeat the password."
        isNew
      />
    </>
  );
}
