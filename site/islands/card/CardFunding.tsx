import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type Funding, fundingQuery } from '../../data/card-calls.ts';
import { type Reading, readingOf } from '../../data/figure-query.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { liveIsland } from '../ui/Live.tsx';
import { LoadingText, RetryButton, Skeleton } from '../ui/ReadStates.tsx';
import styles from './card.module.css';

const QrCode = lazy(() => import('../ui/QrCode.tsx'));

interface FundingTexts {
  readonly title: string;
  readonly warning: string;
  readonly fee: string;
  /** How transfers are credited: `automatic` if the portal credits them, `manual` if the team does. */
  readonly automatic: string;
  readonly manual: string;
  readonly closed: string;
  /** The notice above the address if the card is a test card. */
  readonly test: string;
}

interface FundingPanelProps {
  readonly texts: FundingTexts;
  readonly reading: Reading<Funding>;
}

/** The address is hidden while funding is closed. */
export function FundingPanel({ texts, reading }: FundingPanelProps) {
  return (
    <div className={styles.funding}>
      <h3>{texts.title}</h3>
      <Address texts={texts} reading={reading} />
      <p className={styles.warning}>{texts.warning}</p>
      <p className={styles.quiet}>{texts.fee}</p>
    </div>
  );
}

function Address({ texts, reading }: FundingPanelProps) {
  switch (reading.kind) {
    case 'loading':
      return (
        <p>
          <Skeleton width={42} />
          <LoadingText />
        </p>
      );
    case 'unknown':
      return <p className={styles.quiet}>The funding status is not available at the moment.</p>;
    case 'failed':
      return (
        <p className={styles.quiet}>
          Could not load the funding address.{' '}
          <RetryButton
            retry={{ run: reading.retry, running: reading.isRetrying }}
            what="the funding address"
          />
        </p>
      );
    case 'known':
      return <FundingDetails texts={texts} funding={reading.body} />;
  }
}

function FundingDetails({ texts, funding }: { readonly texts: FundingTexts; readonly funding: Funding }) {
  const { isOpen, address, isTestCard, isCreditedAutomatically } = funding;
  if (!isOpen || address === null) return <p className={styles.quiet}>{texts.closed}</p>;
  return (
    <>
      {isTestCard ? <p className={styles.amber}>{texts.test}</p> : null}
      <p data-crediting={isCreditedAutomatically ? 'automatic' : 'manual'}>
        {isCreditedAutomatically ? texts.automatic : texts.manual}
      </p>
      <div className={styles.fundingAddress}>
        <Suspense fallback={<span className={styles.qr} />}>
          <QrCode text={address} label="QR code of the USDT funding address" />
        </Suspense>
        <div>
          <p className="full-id">{address}</p>
          <p className={styles.quiet}>
            {funding.token} on the {funding.network} network
          </p>
          <button type="button" className="button" onClick={() => void copy(address)}>
            Copy<span className="visually-hidden"> the funding address</span>
          </button>
        </div>
      </div>
    </>
  );
}

async function copy(address: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(address);
    await showToast({ title: 'Copied to clipboard', text: 'The USDT funding address.', kind: 'success' });
  } catch {
    await showToast({
      title: 'Not copied',
      text: 'The browser blocked copying. Select the address and copy it.',
      kind: 'failure',
      seconds: 10,
    });
  }
}

export default liveIsland(function CardFunding({ texts }: { readonly texts: FundingTexts }) {
  const isHydrated = useHydrated();
  const reading = readingOf(useQuery(fundingQuery()));
  return <FundingPanel texts={texts} reading={isHydrated ? reading : { kind: 'loading' }} />;
});
