import type { ReactNode } from 'react';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { formatUsd } from '../../../data/model/format.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { FRESHNESS, freshnessOfReads } from '../../../data/model/value-state.ts';
import type { Eligibility } from '../../data/card-calls.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';
import { Age } from '../ui/Figure.tsx';
import { formatStake } from '../ui/format.ts';
import { Dash, RetryButton, Skeleton } from '../ui/ReadStates.tsx';
import styles from './card.module.css';
import { ELIGIBILITY_INTERVAL_MS, type EligibilityReading, hasWhitelistedTier } from './use-eligibility.ts';

type WalletReading = Exclude<EligibilityReading, { kind: 'unknown' }>;

export function EligibilityPanel({ reading }: { readonly reading: WalletReading }) {
  return (
    <div className={styles.panel} aria-busy={reading.kind === 'checking'}>
      {reading.kind === 'failed' ? null : <EligibilityLines reading={reading} />}
      <div className={styles.panelFooter} role="status">
        <EligibilityFooter reading={reading} />
      </div>
    </div>
  );
}

/** The same facts as in `EligibilityPanel`, on two lines. */
export function EligibilitySummary({ body }: { readonly body: Eligibility }) {
  return (
    <>
      <Status body={body} /> <Tier body={body} />
      <span className={styles.holdings}>
        <Holdings body={body} />
        {body.usdValue === null ? null : (
          <>
            , <Value body={body} />
          </>
        )}
      </span>
    </>
  );
}

function Status({ body: { eligible } }: { readonly body: Eligibility }) {
  return (
    <span className={styles.status} data-eligible={eligible}>
      {eligible ? 'Eligible' : 'Not Eligible'}
    </span>
  );
}

function Tier({ body }: { readonly body: Eligibility }) {
  return (
    <>
      <span className={styles.badge} data-tier={body.tier}>
        {body.tier}
      </span>
      {hasWhitelistedTier(body) ? (
        <span className={styles.quiet} data-whitelisted>
          {' '}
          whitelisted by our team
        </span>
      ) : null}
    </>
  );
}

function EligibilityLines({ reading }: { readonly reading: WalletReading }) {
  const { kind } = reading;
  const line = (label: string, width: number, show: (body: Eligibility) => ReactNode) => (
    <div>
      <dt>{label}</dt>
      <dd>{kind === 'known' ? show(reading.body) : <Skeleton width={width} />}</dd>
    </div>
  );
  return (
    <dl className="definitions">
      {line('BD holdings', 12, (body) => (
        <Holdings body={body} />
      ))}
      {line('Value in USD', 8, (body) => (
        <Value body={body} />
      ))}
      {line('Status', 10, (body) => (
        <Status body={body} />
      ))}
      {line('Tier', 8, (body) => (
        <Tier body={body} />
      ))}
    </dl>
  );
}

function Holdings({ body }: { readonly body: Eligibility }) {
  return (
    <>
      {formatStake(body.bdBalanceText)} BD{' '}
      <span className={styles.quiet}>
        {body.detectionMethod === 'stake_entry' ? 'staked' : 'in the wallet, not staked'}
      </span>
    </>
  );
}

function Value({ body: { usdValue, price } }: { readonly body: Eligibility }) {
  if (usdValue === null || price === null) return <Dash why="No price available" />;
  return (
    <>
      {formatUsd(usdValue)}
      {price.source === 'demo' ? <span className={styles.quiet}> at a demo price</span> : null}
    </>
  );
}

function EligibilityFooter({ reading }: { readonly reading: WalletReading }) {
  switch (reading.kind) {
    case 'checking':
      return (
        <p className={styles.quiet}>
          Checking the stake on the chain. This can take up to {SERVICE_TIMES.verificationSeconds} seconds.
        </p>
      );
    case 'failed':
      return (
        <p className={styles.failure}>
          {reading.text} <RetryButton retry={reading.retry} what="the eligibility" />
        </p>
      );
    case 'known':
      return <KnownEligibilityFooter {...reading} />;
  }
}

const READ_FRESHNESS = freshnessOfReads(ELIGIBILITY_INTERVAL_MS, FRESHNESS.chain);

function KnownEligibilityFooter({ body, retry }: Extract<EligibilityReading, { kind: 'known' }>) {
  const read: FigureRead = {
    asOf: Date.parse(body.asOf),
    source: sourceOf(body.source),
    calls: [],
    freshness: READ_FRESHNESS,
  };
  return (
    <>
      {body.eligible ? null : (
        <p>Stake {groupDecimalText(body.missing)} more BD in this wallet to qualify.</p>
      )}
      {/* Without `aria-live="off"`, screen readers would announce the age every second. */}
      <p className={`${styles.quiet} ${styles.readAge}`} aria-live="off">
        Read from the chain <Age read={read} />
      </p>
      {retry === null ? null : (
        <p className={styles.failure}>
          Could not update. <RetryButton retry={retry} what="the eligibility" />
        </p>
      )}
    </>
  );
}
