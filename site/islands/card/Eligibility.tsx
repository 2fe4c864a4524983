import type { ReactNode } from 'react';
import { formatUsd } from '../../../data/model/format.ts';
import { SERVICE_TIMES } from '../../../data/model/portal-terms.ts';
import { FRESHNESS, freshnessOfReads } from '../../../data/model/value-state.ts';
import type { Eligibility } from '../../data/card-calls.ts';
import { type FigureRead, sourceOf } from '../../data/source-freshness.ts';
import { Age } from '../ui/Figure.tsx';
import { formatMoved, formatStake } from '../ui/format.ts';
import { Dash, RetryButton, Skeleton } from '../ui/ReadStates.tsx';
import { useWallet, walletIsland } from '../wallet/WalletProvider.tsx';
import styles from './card.module.css';
import { ELIGIBILITY_INTERVAL, type EligibilityReading, useEligibility } from './use-eligibility.ts';

export default walletIsland(ConnectedEligibility);

function ConnectedEligibility() {
  return <EligibilityPanel reading={useEligibility(useWallet().walletAddress)} />;
}

/** The connected wallet's holdings, their value, its eligibility and its tier. */
export function EligibilityPanel({ reading }: { readonly reading: EligibilityReading }) {
  return (
    <div data-eligibility={stateOf(reading)} aria-busy={reading.kind === 'checking'}>
      <Lines reading={reading} />
      <div className={styles.below} role="status">
        <Below reading={reading} />
      </div>
    </div>
  );
}

function stateOf(reading: EligibilityReading): string {
  if (reading.kind !== 'known') return reading.kind;
  return reading.body.eligible ? 'eligible' : 'not-eligible';
}

function Lines({ reading }: { readonly reading: EligibilityReading }) {
  const { kind } = reading;
  const line = (label: string, width: number, show: (body: Eligibility) => ReactNode) => (
    <div>
      <dt>{label}</dt>
      <dd>
        {kind === 'known' ? show(reading.body) : kind === 'checking' ? <Skeleton width={width} /> : <Dash />}
      </dd>
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
      {line('Status', 10, ({ eligible }) => (
        <span className={styles.status} data-eligible={eligible}>
          {eligible ? 'Eligible' : 'Not Eligible'}
        </span>
      ))}
      {line('Tier', 8, ({ tier }) => (
        <span className={styles.badge} data-tier={tier}>
          {tier}
        </span>
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

function Below({ reading }: { readonly reading: EligibilityReading }) {
  switch (reading.kind) {
    case 'unknown':
      return <p className={styles.quiet}>Connect a wallet to check its eligibility.</p>;
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
      return <Outcome {...reading} />;
  }
}

const READS = freshnessOfReads(ELIGIBILITY_INTERVAL, FRESHNESS.chain);

function Outcome({ body, retry }: Extract<EligibilityReading, { kind: 'known' }>) {
  const read: FigureRead = {
    asOf: Date.parse(body.asOf),
    source: sourceOf(body.source),
    calls: [],
    freshness: READS,
  };
  return (
    <>
      {body.eligible ? null : <p>Stake {formatMoved(body.missing)} more BD in this wallet to qualify.</p>}
      <p className={`${styles.quiet} ${styles.read}`}>
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
