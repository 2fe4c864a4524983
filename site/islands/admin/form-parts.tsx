import { isLongEnough, MIN_PASSWORD_LENGTH, PASSWORD_TOO_SHORT } from '../../../data/model/admin-rules.ts';
import { type Choice, Field, type FieldProps } from '../form/Field.tsx';
import form from '../form/form.module.css';
import type { ChangeNotice } from './admin-calls.ts';

export const ROLE_CHOICES: readonly Choice[] = [
  { value: 'viewer', label: 'Viewer: can view' },
  { value: 'reviewer', label: 'Reviewer: can view and decide' },
  { value: 'owner', label: 'Owner: full access, including the team' },
];

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

export function Failure({ message }: { readonly message: string }) {
  return (
    <div className={form.failure} role="alert">
      <p className={form.title}>{message}</p>
    </div>
  );
}

interface FormActionsProps {
  readonly submitLabel: string;
  readonly busyLabel?: string;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  /** Whether the submit button is plain instead of gold, for forms other than the page's main form. */
  readonly isPlain?: boolean;
  readonly cancelLabel?: string;
  readonly onCancel?: () => void;
}

export function FormActions({
  submitLabel,
  busyLabel = submitLabel,
  isBusy,
  isDisabled = false,
  isPlain = false,
  cancelLabel = 'Cancel',
  onCancel,
}: FormActionsProps) {
  return (
    <p className={form.actions}>
      <button
        type="submit"
        className={isPlain ? 'button' : 'button gold'}
        disabled={isDisabled}
        // While busy, the button is not disabled, because it would lose the focus.
        aria-disabled={isBusy}
      >
        {isBusy ? busyLabel : submitLabel}
      </button>
      {onCancel ? (
        <button type="button" className="button" disabled={isBusy} onClick={onCancel}>
          {cancelLabel}
        </button>
      ) : null}
    </p>
  );
}

interface SecretFieldProps extends Pick<FieldProps, 'id' | 'label' | 'value' | 'onValue' | 'hint'> {
  readonly isNew?: boolean;
}

export function SecretField({ isNew = false, ...field }: SecretFieldProps) {
  const autoComplete = isNew ? 'new-password' : 'current-password';
  return <Field {...field} name={field.id} type="password" autoComplete={autoComplete} maxLength={256} />;
}

/** The admin's own password, for a change that requires more than a valid session. */
export function OwnPasswordField(field: Pick<FieldProps, 'id' | 'value' | 'onValue'>) {
  return <SecretField {...field} label="Your password" hint="Confirm it’s you." />;
}
export const OWN_PASSWORD_NEEDED = 'Enter your password.';

export function CodeField(field: Pick<FieldProps, 'id' | 'value' | 'onValue' | 'hint'>) {
  return <Field {...field} name="code" label="Code" autoComplete="one-time-code" maxLength={64} isMono />;
}

interface NewPassword {
  readonly password: string;
  readonly repeatedPassword: string;
}
export const EMPTY_NEW_PASSWORD: NewPassword = { password: '', repeatedPassword: '' };

export function newPasswordError({ password, repeatedPassword }: NewPassword): string | null {
  if (!isLongEnough(password)) return PASSWORD_TOO_SHORT;
  return password === repeatedPassword ? null : 'Passwords do not match';
}

interface NewPasswordFieldsProps {
  readonly prefix: string;
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
        value={value.repeatedPassword}
        onValue={(repeatedPassword) => onValue({ ...value, repeatedPassword })}
        hint="Repeat the password."
        isNew
      />
    </>
  );
}
