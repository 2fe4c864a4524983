import { lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react';
import type { beginTotp } from '../../../data/contract/admin-totp.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import { CopyButton } from '../copy/CopyButton.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { change } from './account-calls.ts';
import styles from './admin-account.module.css';
import type { Change } from './use-change.ts';

const QrCode = lazy(() => import('../qr/QrCode.tsx'));

export type Offer = ResponseOf<typeof beginTotp>;

interface OfferedSecretProps {
  readonly offer: Offer;
  readonly changing: Change;
  readonly onCodes: (codes: readonly string[]) => null;
  readonly onCancel: () => void;
}

/** A secret for the authenticator app, which counts once the app's first code is confirmed. */
export function OfferedSecret({ offer, changing, onCodes, onCancel }: OfferedSecretProps) {
  const [code, setCode] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (code.trim() === '') return changing.refuse('Give the six digits that the authenticator app shows.');
    void changing.run(
      () => change('/api/admin/totp/confirm', { code: code.trim() }),
      ({ recoveryCodes }) => onCodes(recoveryCodes),
    );
  };
  return (
    <form className={form.form} onSubmit={submit} aria-labelledby="offered-secret" noValidate>
      <h3 id="offered-secret" ref={heading} tabIndex={-1}>
        Add it to your authenticator app
      </h3>
      <div className={styles.offer}>
        <div className={styles.qr}>
          <Suspense>
            <QrCode text={offer.otpauthUri} label="QR code of the secret, for an authenticator app" />
          </Suspense>
        </div>
        <div>
          <p>Scan the code, or type the secret into the app:</p>
          <p className={styles.secret}>{offer.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</p>
          <p className={form.ways}>
            <CopyButton text={offer.secret} name="secret" />
            <a className="button" href={offer.otpauthUri}>
              Open the App
            </a>
          </p>
        </div>
      </div>
      <Field
        id="totp-first-code"
        name="code"
        value={code}
        fault={null}
        onValue={setCode}
        label="Code"
        hint="The six digits that the app shows now."
        autoComplete="one-time-code"
        maxLength={64}
        mono
      />
      <p className={form.ways}>
        <button type="submit" className="button gold" disabled={changing.isBusy}>
          {changing.isBusy ? 'Confirming...' : 'Confirm'}
        </button>
        <button type="button" className="button" disabled={changing.isBusy} onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
