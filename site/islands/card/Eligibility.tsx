import { formatUsd } from '../../../data/model/format.ts';
import type { Eligibility } from '../../data/card-calls.ts';
import { sourceOf } from '../../data/source-freshness.ts';
import { Age } from '../figure/Age.tsx';
import { Bone } from '../figure/Bone.tsx';
import { Dash } from '../figure/Dash.tsx';
import { formatMoved, formatStake } from '../figure/moved-amount.ts';
import type { Retry } from '../figure/provenance.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import styles from './card.module.css';

/** What the panel has of a wallet's eligibility. */
export type EligibilityReading =
  /** No wallet is connected. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'checking' }
  | {
      readonly kind: 'known';
      readonly body: Eligibility;
      /** How to read it again where the last attempt failed; null where it did not fail. */
      readonly behind: Retry | null;
    }
  | { readonly kind: 'failed'; readonly text: string; readonly retry: Retry };

/** What the connected wallet's stake earns: holdings, their value, whether that is enough, and the tier. */
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
  const waiting = (width: number) =>
    kind === 'checking' ? <Bone width={width} /> : <Dash why="Not known" />;
  const body = kind === 'known' ? reading.body : null;
  return (
    <dl className="definitions">
      <div>
        <dt>BD holdings</dt>
        <dd>{body === null ? waiting(12) : <Holdings body={body} />}</dd>
      </div>
      <div>
        <dt>Value in USD</dt>
        <dd>{body === null ? waiting(8) : <Value body={body} />}</dd>
      </div>
      <div>
        <dt>Status</dt>
        <dd>{body === null ? waiting(10) : <Status eligible={body.eligible} />}</dd>
      </div>
      <div>
        <dt>Tier</dt>
        <dd>
          {body === null ? (
            waiting(8)
          ) : (
            <span className={styles.badge} data-tier={body.tier}>
              {body.tier}
            </span>
          )}
        </dd>
      </div>
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
  if (usdValue === null || price === null) return <Dash why="The price is not known" />;
  return (
    <>
      {formatUsd(usdValue)}
      {price.source === 'demo' ? <span className={styles.quiet}> at a made-up price</span> : null}
    </>
  );
}

function Status({ eligible }: { readonly eligible: boolean }) {
  return (
    <span className={styles.status} data-eligible={eligible}>
      {eligible ? 'Eligible' : 'Not Eligible'}
    </span>
  );
}

function Below({ reading }: { readonly reading: EligibilityReading }) {
  switch (reading.kind) {
    case 'unknown':
      return <p className={styles.quiet}>Connect a wallet to see whether its stake qualifies.</p>;
    case 'checking':
      return <p className={styles.quiet}>Checking the stake on the chain. This can take up to 60 seconds.</p>;
    case 'failed':
      return (
        <p className={styles.fault}>
          {reading.text} <RetryButton retry={reading.retry} what="the eligibility" />
        </p>
      );
    case 'known':
      return <Outcome {...reading} />;
  }
}

function Outcome({ body, behind }: Extract<EligibilityReading, { kind: 'known' }>) {
  const read = {
    asOf: Date.parse(body.asOf),
    source: sourceOf(body.source),
    calls: [],
    isBehind: behind !== null,
  };
  return (
    <>
      {body.eligible ? null : <p>{formatMoved(body.missing)} BD more have to be staked in this wallet.</p>}
      <p className={`${styles.quiet} ${styles.read}`}>
        Read from the chain <Age read={read} />
      </p>
      {behind === null ? null : (
        <p className={styles.fault}>
          It could not be read again. <RetryButton retry={behind} what="the eligibility" />
        </p>
      )}
    </>
  );
}
