import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { type OwnSession, ownSessionQuery } from '../admin/own-session.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { change, sessionsQuery } from './account-calls.ts';
import styles from './admin-account.module.css';
import { ChangeNotice } from './ChangeNotice.tsx';
import { type Offer, OfferedSecret } from './OfferedSecret.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { SecretField } from './SecretField.tsx';
import { type Change, useChange } from './use-change.ts';

/** Below so many recovery codes new ones are called for. */
const FEW_CODES = 3;

type Stage =
  | { readonly kind: 'rest' }
  | { readonly kind: 'offered'; readonly offer: Offer }
  /** New recovery codes are told, which is once. */
  | { readonly kind: 'told'; readonly codes: readonly string[] };

/** Sets a second factor up for one's own account, renews its recovery codes, and turns it off. */
export function TwoFactorPart({ session }: { readonly session: OwnSession }) {
  const client = useQueryClient();
  const [stage, setStage] = useState<Stage>({ kind: 'rest' });
  const changing = useChange();
  const look = () => {
    void client.invalidateQueries(ownSessionQuery());
    void client.invalidateQueries(sessionsQuery());
  };
  const tell = (codes: readonly string[]) => {
    setStage({ kind: 'told', codes });
    look();
    return null;
  };
  const content = (): ReactNode => {
    switch (stage.kind) {
      case 'told':
        return (
          <RecoveryCodes
            codes={stage.codes}
            username={session.user.username}
            onKept={() => setStage({ kind: 'rest' })}
          />
        );
      case 'offered':
        return (
          <OfferedSecret
            offer={stage.offer}
            changing={changing}
            onCodes={tell}
            onCancel={() => {
              changing.clear();
              setStage({ kind: 'rest' });
            }}
          />
        );
      default:
        return session.hasTotp ? (
          <SetUp left={session.recoveryCodesLeft} changing={changing} onCodes={tell} onOff={look} />
        ) : (
          <NotSetUp changing={changing} onOffer={(offer) => setStage({ kind: 'offered', offer })} />
        );
    }
  };
  return (
    <section aria-labelledby="two-factor">
      <h2 id="two-factor" className={styles.head}>
        Two-Factor Authentication
      </h2>
      <div className={`${form.form} ${styles.part}`}>
        {content()}
        <ChangeNotice state={changing.state} />
      </div>
    </section>
  );
}

interface NotSetUpProps {
  readonly changing: Change;
  readonly onOffer: (offer: Offer) => void;
}

function NotSetUp({ changing, onOffer }: NotSetUpProps) {
  const [password, setPassword] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (password === '') return changing.refuse('Give the password that holds now.');
    void changing.run(
      () => change('/api/admin/totp/begin', { password }),
      (offer) => {
        onOffer(offer);
        return null;
      },
    );
  };
  return (
    <form className={form.form} onSubmit={submit} aria-labelledby="two-factor" noValidate>
      <p>
        It is off. Once it is on, signing in takes your password and a code of an authenticator app, so that a
        stolen password alone opens nothing.
      </p>
      <SecretField id="totp-password" label="Your Password" value={password} onValue={setPassword} />
      <p className={form.ways}>
        <button type="submit" className="button gold" disabled={changing.isBusy}>
          {changing.isBusy ? 'Beginning...' : 'Set Up Two-Factor'}
        </button>
      </p>
    </form>
  );
}

interface SetUpProps {
  /** Recovery codes that are unused. */
  readonly left: number;
  readonly changing: Change;
  readonly onCodes: (codes: readonly string[]) => null;
  readonly onOff: () => void;
}

function SetUp({ left, changing, onCodes, onOff }: SetUpProps) {
  const [wanted, setWanted] = useState<'renew' | 'off' | null>(null);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const want = (next: 'renew' | 'off' | null) => {
    setWanted(next);
    setPassword('');
    setCode('');
    changing.clear();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (password === '' || code.trim() === '') return changing.refuse('Give your password and a code.');
    const proof = { password, code: code.trim() };
    if (wanted === 'renew') {
      void changing.run(
        () => change('/api/admin/totp/recovery-codes', proof),
        ({ recoveryCodes }) => onCodes(recoveryCodes),
      );
      return;
    }
    void changing.run(
      () => change('/api/admin/totp/disable', proof),
      () => {
        onOff();
        return 'Two-factor authentication is off.';
      },
    );
  };
  const isRenewal = wanted === 'renew';
  return (
    <form className={form.form} onSubmit={submit} aria-labelledby="two-factor" noValidate>
      <p>
        <strong className={styles.on}>It is on.</strong> Signing in takes a code of your authenticator app, or
        a recovery code once. {left === 1 ? '1 recovery code is' : `${left} recovery codes are`} left.
        {left < FEW_CODES ? ' Make new ones before you run out.' : ''}
      </p>
      {wanted === null ? (
        <p className={form.ways}>
          <button type="button" className="button" onClick={() => want('renew')}>
            New Recovery Codes
          </button>
          <button type="button" className="button" onClick={() => want('off')}>
            Turn Off
          </button>
        </p>
      ) : (
        <>
          {isRenewal ? <p>The codes that you have now will hold no more.</p> : null}
          <SecretField id="totp-password" label="Your Password" value={password} onValue={setPassword} />
          <Field
            id="totp-code"
            name="code"
            value={code}
            fault={null}
            onValue={setCode}
            label="Code"
            hint={
              isRenewal
                ? 'The six digits that your authenticator app shows.'
                : 'The six digits that your authenticator app shows, or a recovery code.'
            }
            autoComplete="one-time-code"
            maxLength={64}
            mono
          />
          <p className={form.ways}>
            <button type="submit" className="button gold" disabled={changing.isBusy}>
              {isRenewal ? 'Make New Recovery Codes' : 'Turn Off Two-Factor'}
            </button>
            <button type="button" className="button" disabled={changing.isBusy} onClick={() => want(null)}>
              Cancel
            </button>
          </p>
        </>
      )}
    </form>
  );
}
