import { lazy, type SubmitEvent, Suspense, useState } from 'react';
import type { beginTotp } from '../../../data/contract/admin-totp.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { type ChangeSender, type OwnSession, useChange } from '../admin/admin-calls.ts';
import { CodeField, FormActions, Notice, SecretField } from '../admin/form-parts.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import form from '../form/form.module.css';
import { CopyButton } from '../ui/CopyButton.tsx';
import { downloadText } from '../ui/download.ts';
import styles from './admin-account.module.css';

const QrCode = lazy(() => import('../ui/QrCode.tsx'));

/** With fewer recovery codes than this, the admin should create new codes. */
const FEW_CODES = 3;
const CODE_NEEDED = 'Enter the six digits from your authenticator app.';

type TotpSetup = ResponseOf<typeof beginTotp>;

type Stage =
  | { readonly kind: 'idle' }
  | { readonly kind: 'setup'; readonly setup: TotpSetup }
  /** New recovery codes, which are shown only once. */
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

export function TwoFactor({ session }: { readonly session: OwnSession }) {
  const [stage, setStage] = useState<Stage>({ kind: 'idle' });
  const change = useChange();
  const returnToStart = () => {
    change.clearNotice();
    setStage({ kind: 'idle' });
  };
  const showCodes = ({ recoveryCodes }: { readonly recoveryCodes: readonly string[] }) => {
    setStage({ kind: 'codes', codes: recoveryCodes });
    return null;
  };
  const showSetup = (setup: TotpSetup) => {
    setStage({ kind: 'setup', setup });
    return null;
  };
  const content = () => {
    switch (stage.kind) {
      case 'codes':
        return <RecoveryCodes codes={stage.codes} username={session.user.username} onSaved={returnToStart} />;
      case 'setup':
        return (
          <ConfirmSetup
            setup={stage.setup}
            change={change}
            onConfirmed={showCodes}
            onCancel={returnToStart}
          />
        );
      default:
        return session.hasTotp ? (
          <ManageTwoFactor codesLeft={session.recoveryCodesLeft} change={change} onCodes={showCodes} />
        ) : (
          <TurnOnForm change={change} onSetup={showSetup} />
        );
    }
  };
  return (
    <section aria-labelledby="two-factor">
      <h2 id="two-factor" className={styles.head}>
        Two-factor authentication
      </h2>
      <div className={`${form.form} ${styles.part}`}>
        {content()}
        <Notice notice={change.notice} />
      </div>
    </section>
  );
}

interface TurnOnFormProps {
  readonly change: ChangeSender;
  readonly onSetup: (setup: TotpSetup) => null;
}

function TurnOnForm({ change, onSetup }: TurnOnFormProps) {
  const [password, setPassword] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (password === '') return change.showError('Enter your current password.');
    void change.sendAndNotify(PATHS.beginTotp, { password }, onSetup);
  };
  return (
    <form className={form.form} onSubmit={submit} aria-labelledby="two-factor" noValidate>
      <p>
        Two-factor authentication is off. Once it is on, signing in requires your password and a code from an
        authenticator app, so a stolen password alone is not enough.
      </p>
      <SecretField id="totp-password" label="Current password" value={password} onValue={setPassword} />
      <FormActions submitLabel="Set up two-factor" busyLabel="Starting..." isBusy={change.isBusy} />
    </form>
  );
}

interface ConfirmSetupProps {
  readonly setup: TotpSetup;
  readonly change: ChangeSender;
  readonly onConfirmed: (body: { readonly recoveryCodes: readonly string[] }) => null;
  readonly onCancel: () => void;
}

/** The secret takes effect when the app's first code is confirmed. */
function ConfirmSetup({ setup, change, onConfirmed, onCancel }: ConfirmSetupProps) {
  const [code, setCode] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (code.trim() === '') return change.showError(CODE_NEEDED);
    void change.sendAndNotify(PATHS.confirmTotp, { code: code.trim() }, onConfirmed);
  };
  return (
    <form className={form.form} onSubmit={submit} aria-labelledby="confirm-setup" noValidate>
      <h3 id="confirm-setup" ref={focusOnMount} tabIndex={-1}>
        Add your account to the authenticator app
      </h3>
      <div className={styles.setup}>
        <div className={styles.qr}>
          <Suspense>
            <QrCode text={setup.otpauthUri} label="QR code for your authenticator app" />
          </Suspense>
        </div>
        <div>
          <p>Scan the code, or type the secret into the app:</p>
          <p className={styles.secret}>{setup.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</p>
          <p className={form.actions}>
            <CopyButton text={setup.secret} name="secret" />
            <a className="button" href={setup.otpauthUri}>
              Open the app
            </a>
          </p>
        </div>
      </div>
      <CodeField id="totp-first-code" value={code} onValue={setCode} hint="The six digits from the app." />
      <FormActions
        submitLabel="Confirm"
        busyLabel="Confirming..."
        isBusy={change.isBusy}
        onCancel={onCancel}
      />
    </form>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly username: string;
  readonly onSaved: () => void;
}

function RecoveryCodes({ codes, username, onSaved }: RecoveryCodesProps) {
  const text = codes.join('\n');
  const save = () =>
    downloadText(
      'blackduck-recovery-codes.txt',
      `Recovery codes for ${username} at ${location.host}\nEach code works once in place of a code from the app.\n\n${text}\n`,
      'text/plain',
    );
  return (
    <>
      <h3 ref={focusOnMount} tabIndex={-1}>
        Your recovery codes
      </h3>
      <p>
        Each code works once in place of a code from the app. The codes are shown only once, so store them
        where you can reach them without your phone.
      </p>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p className={form.actions}>
        <CopyButton text={text} name="recovery codes" showsName />
        <button type="button" className="button" onClick={save}>
          Download
        </button>
        <button type="button" className="button gold" onClick={onSaved}>
          I've saved my codes
        </button>
      </p>
    </>
  );
}

interface ManageTwoFactorProps {
  readonly codesLeft: number;
  readonly change: ChangeSender;
  readonly onCodes: (body: { readonly recoveryCodes: readonly string[] }) => null;
}

function ManageTwoFactor({ codesLeft, change, onCodes }: ManageTwoFactorProps) {
  const [action, setAction] = useState<'renew' | 'off' | null>(null);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const switchAction = (next: typeof action) => {
    setAction(next);
    setPassword('');
    setCode('');
    change.clearNotice();
  };
  const isRenewal = action === 'renew';
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (password === '' || code.trim() === '') return change.showError('Enter your password and a code.');
    const proof = { password, code: code.trim() };
    if (isRenewal) void change.sendAndNotify(PATHS.renewRecoveryCodes, proof, onCodes);
    else
      void change.sendAndNotify(
        PATHS.disableTotp,
        proof,
        () => 'Two-factor authentication is off. Your other sessions have ended.',
      );
  };
  return (
    <form className={form.form} onSubmit={submit} aria-labelledby="two-factor" noValidate>
      <p>
        <strong className={styles.on}>Two-factor authentication is on.</strong> Signing in requires a code
        from your authenticator app, or a recovery code.{' '}
        {codesLeft === 1 ? '1 recovery code is' : `${codesLeft} recovery codes are`} left.
        {codesLeft < FEW_CODES ? ' Create new ones before you run out.' : ''}
      </p>
      {action === null ? (
        <p className={form.actions}>
          <button type="button" className="button" onClick={() => switchAction('renew')}>
            New recovery codes
          </button>
          <button type="button" className="button" onClick={() => switchAction('off')}>
            Turn off
          </button>
        </p>
      ) : (
        <>
          {isRenewal ? <p>Your existing codes will stop working.</p> : null}
          <SecretField id="totp-password" label="Current password" value={password} onValue={setPassword} />
          <CodeField
            id="totp-code"
            value={code}
            onValue={setCode}
            hint={
              isRenewal
                ? 'The six digits from your authenticator app.'
                : 'The six digits from your authenticator app, or a recovery code.'
            }
          />
          <FormActions
            submitLabel={isRenewal ? 'Create recovery codes' : 'Turn off two-factor'}
            isBusy={change.isBusy}
            onCancel={() => switchAction(null)}
          />
        </>
      )}
    </form>
  );
}
