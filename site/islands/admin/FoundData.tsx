import { useEffect, useRef } from 'react';
import { ERASED_PART_WORDS, ERASED_PARTS } from '../../../data/model/erased-parts.ts';
import { CopyButton } from '../copy/CopyButton.tsx';
import styles from './erasure.module.css';
import type { Erasure } from './erasure-call.ts';

/** What is held of a person, before it is erased. */
export function FoundData({ found }: { readonly found: Erasure }) {
  const { records, counts, outboxFiles, otherWallets, kept, backups } = found;
  const parts = ERASED_PARTS.filter((part) => counts[part] > 0);
  return (
    <>
      <h2 id="erasure-found">What is held</h2>
      {parts.length === 0 && outboxFiles === 0 ? (
        <p>Nothing is held. Erasing still writes a proof of that.</p>
      ) : (
        <dl className={styles.found}>
          {parts.map((part) => (
            <div key={part}>
              <dt>{ERASED_PART_WORDS[part]}</dt>
              <dd>{counts[part]}</dd>
            </div>
          ))}
          {outboxFiles > 0 ? (
            <div>
              <dt>Mails in the outbox</dt>
              <dd>{outboxFiles}</dd>
            </div>
          ) : null}
        </dl>
      )}
      {records.length > 0 ? (
        <p className={styles.words}>
          Records: {records.map(({ referenceNumber }) => referenceNumber).join(', ')}
        </p>
      ) : null}
      {otherWallets.length > 0 ? (
        <p className={styles.words}>
          The records name other wallets. Their proofs and sessions stay: {otherWallets.join(', ')}
        </p>
      ) : null}
      {kept.liveCards > 0 ? (
        <p>Cards of the wallet that can still be used stay: {kept.liveCards}. Close them first.</p>
      ) : null}
      {kept.adminAccounts > 0 ? (
        <p>Accounts of the team with this mailbox stay: {kept.adminAccounts}.</p>
      ) : null}
      <p>{backups.words}</p>
    </>
  );
}

/** The proof of an erasure, for the person. */
export function ErasureProof({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone, and stood further down.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section aria-labelledby="erasure-proof">
      <h2 id="erasure-proof" ref={heading} tabIndex={-1} className={styles.erased}>
        Erased
      </h2>
      <p role="status">Send this proof to the person now: its salt is kept nowhere else.</p>
      <pre className={styles.proof}>{text}</pre>
      <p>
        <CopyButton text={text} name="proof" isNamed />
      </p>
    </section>
  );
}
