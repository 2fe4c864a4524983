import { useEffect, useRef } from 'react';
import { CopyButton } from '../copy/CopyButton.tsx';
import { offerDownload } from '../download/offer-download.ts';
import form from '../form/form.module.css';
import styles from './admin-account.module.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly username: string;
  readonly onKept: () => void;
}

/** New recovery codes, which nobody can be told again. */
export function RecoveryCodes({ codes, username, onKept }: RecoveryCodesProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const text = codes.join('\n');
  const save = () =>
    offerDownload(
      'blackduck-recovery-codes.txt',
      `Recovery codes of ${username} at ${location.host}\nEach stands in for the authenticator app once.\n\n${text}\n`,
      'text/plain',
    );
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        Your recovery codes
      </h3>
      <p>
        Each stands in for the app once. They are shown this one time: keep them where you find them without
        your phone.
      </p>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p className={form.ways}>
        <CopyButton text={text} name="recovery codes" isNamed />
        <button type="button" className="button" onClick={save}>
          Download
        </button>
        <button type="button" className="button gold" onClick={onKept}>
          I Have Kept Them
        </button>
      </p>
    </>
  );
}
