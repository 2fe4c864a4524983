import { lazy, Suspense } from 'react';
import type { Funding } from '../../data/card-calls.ts';
import type { Reading } from '../../data/reading.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { Bone } from '../figure/Bone.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import styles from './card.module.css';

const QrCode = lazy(() => import('../qr/QrCode.tsx'));

export interface FundingWords {
  readonly title: string;
  readonly warning: string;
  readonly fee: string;
  readonly closed: string;
  readonly test: string;
}

interface FundingPanelProps {
  readonly words: FundingWords;
  readonly reading: Reading<Funding>;
}

/** Where a card is loaded, with what has to be known before anything is sent. No address shows while funding is not open. */
export function FundingPanel({ words, reading }: FundingPanelProps) {
  return (
    <div className={styles.funding}>
      <h3>{words.title}</h3>
      <Address words={words} reading={reading} />
      <p className={styles.grave}>{words.warning}</p>
      <p className={styles.quiet}>{words.fee}</p>
    </div>
  );
}

function Address({ words, reading }: FundingPanelProps) {
  switch (reading.kind) {
    case 'loading':
      return (
        <p>
          <Bone width={42} />
          <LoadingWords />
        </p>
      );
    case 'unknown':
      return <p className={styles.quiet}>Whether funding is open is not known at the moment.</p>;
    case 'failed':
      return (
        <p className={styles.quiet}>
          Whether funding is open could not be read.{' '}
          <RetryButton retry={{ run: reading.retry, running: reading.retrying }} what="the load address" />
        </p>
      );
    case 'known':
      return <Open words={words} funding={reading.body} />;
  }
}

function Open({ words, funding }: { readonly words: FundingWords; readonly funding: Funding }) {
  const { isOpen, address, isTestCard } = funding;
  if (!isOpen || address === null) return <p className={styles.quiet}>{words.closed}</p>;
  return (
    <>
      {isTestCard ? <p className={styles.amber}>{words.test}</p> : null}
      <div className={styles.load}>
        <Suspense fallback={<span className={styles.qr} />}>
          <QrCode text={address} label="QR code of the USDT load address" />
        </Suspense>
        <div>
          <p className={styles.address}>{address}</p>
          <p className={styles.quiet}>
            {funding.token} on the {funding.network} network
          </p>
          <button type="button" className="button" onClick={() => void copy(address)}>
            Copy<span className="visually-hidden"> the load address</span>
          </button>
        </div>
      </div>
    </>
  );
}

async function copy(address: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(address);
    await showToast({ title: 'Copied to clipboard', text: 'The USDT load address.', kind: 'success' });
  } catch {
    await showToast({
      title: 'Not copied',
      text: 'This browser does not let the portal copy. Select the address and copy it yourself.',
      kind: 'failure',
      seconds: 10,
    });
  }
}
