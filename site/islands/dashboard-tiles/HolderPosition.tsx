import { useLayoutEffect, useRef } from 'react';
import type { WalletPosition } from '../../../data/contract/position.ts';
import { groupDecimalText } from '../../../data/model/digit-grouping.ts';
import { shorten } from '../../../data/model/format.ts';
import { currentTranslation } from '../../../data/model/locale.ts';
import { lockState } from '../../../data/model/staking-terms.ts';
import { positionRead } from '../../data/position-query.ts';
import { useTicking } from '../../data/ticking-clock.ts';
import { type PositionReading, usePosition } from '../position/use-position.ts';
import { Age } from '../ui/Figure.tsx';
import { formatStake } from '../ui/format.ts';
import { LockTimeLeft } from '../ui/Lock.tsx';
import { OwnName } from '../ui/OwnName.tsx';
import { Loading, RetryButton } from '../ui/ReadStates.tsx';
import styles from './holder.module.css';

interface HolderPositionProps {
  readonly wallet: string;
}

export default function HolderPosition({ wallet }: HolderPositionProps) {
  return <HolderView wallet={wallet} reading={usePosition(wallet)} />;
}

export function HolderView({ wallet, reading }: HolderPositionProps & { readonly reading: PositionReading }) {
  const state = reading.kind === 'known' && !reading.position.isStaking ? 'no-stake' : reading.kind;
  return (
    <section
      className={styles.holder}
      ref={useFocusFromButton()}
      tabIndex={-1}
      aria-label="Your stake"
      aria-busy={state === 'loading'}
      data-holder={state === 'known' ? 'staking' : state}
    >
      {reading.kind === 'loading' ? <Loading width={24} /> : null}
      {reading.kind === 'failed' ? (
        <p>
          {reading.failure === 'not-known' ? 'Your stake is not indexed yet.' : 'Could not load your stake.'}{' '}
          <RetryButton retry={{ run: reading.retry, running: reading.isRetrying }} what="your stake" />
        </p>
      ) : null}
      {reading.kind === 'known' && !reading.position.isStaking ? (
        <>
          <a className="button gold" href={STAKE_URL}>
            Stake BD
          </a>
          <div>
            <p>
              Wallet {shorten(wallet)}
              <OwnName address={wallet} /> has no stake.
            </p>
            <p className={styles.fact}>
              <ReadAge {...reading} />
            </p>
          </div>
        </>
      ) : null}
      {reading.kind === 'known' && reading.position.isStaking ? (
        <StakedPosition wallet={wallet} {...reading} />
      ) : null}
    </section>
  );
}

/** Moves the focus here from the button that connected the wallet, because this view replaces the button. */
function useFocusFromButton() {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { activeElement } = document;
    const stage = element.current?.closest('[data-holder-stage]');
    if (activeElement?.matches('[data-wallet]') && stage?.contains(activeElement)) {
      element.current?.focus({ preventScroll: true });
    }
  }, []);
  return element;
}

const STAKE_URL = '/staking#stake';
const CARD_URL = '/virtual-card';

function nextStep({ tier }: WalletPosition, isUnlocked: boolean) {
  if (isUnlocked) return { label: 'Withdraw your stake', href: '/my-position' };
  // The team may have whitelisted a wallet whose stake earns no tier. Only the card page shows that.
  return tier === 'None'
    ? { label: 'Check card eligibility', href: CARD_URL }
    : { label: 'Get or manage your card', href: CARD_URL };
}

const DATE_FORMAT = new Intl.DateTimeFormat(currentTranslation()?.tag ?? 'en-GB', {
  dateStyle: 'medium',
  timeZone: 'UTC',
});

type KnownPosition = Extract<PositionReading, { kind: 'known' }>;

function ReadAge({ position, refresh }: KnownPosition) {
  return (
    <>
      <Age read={positionRead(position)} />
      {refresh === null ? null : <RetryButton retry={refresh} what="your stake" />}
    </>
  );
}

function StakedPosition({ wallet, ...reading }: HolderPositionProps & KnownPosition) {
  const { position } = reading;
  const { staked, stakes, tier, nextTier, lock } = position;
  const lockKind = useTicking((now) =>
    lock === null ? 'none' : lockState(Date.parse(lock.unlockDate), now).kind,
  );
  const isUnlocked = lockKind === 'unlocked';
  const nextAction = nextStep(position, isUnlocked);
  return (
    <>
      <dl className={styles.figures}>
        <div>
          <dt>{stakes.length === 1 ? 'Your stake' : `Your ${stakes.length} stakes`}</dt>
          <dd>
            {formatStake(staked)} <span className={styles.unit}>BD</span>
          </dd>
          <dd className={styles.fact}>
            <ReadAge {...reading} />
          </dd>
        </div>
        <div>
          <dt>Card tier by stake</dt>
          <dd>{tier}</dd>
          <dd className={styles.fact}>
            {nextTier === null
              ? 'The highest tier'
              : `${groupDecimalText(nextTier.missing)} BD more for ${nextTier.tier}`}
          </dd>
        </div>
        {lock === null ? null : (
          <div>
            <dt>{isUnlocked ? 'Unlocked since' : 'Unlocks'}</dt>
            <dd>
              <time dateTime={lock.unlockDate}>{DATE_FORMAT.format(Date.parse(lock.unlockDate))}</time>
            </dd>
            <dd className={styles.fact}>
              {isUnlocked ? (
                'Not withdrawn automatically'
              ) : (
                <>
                  <LockTimeLeft unlocksAt={Date.parse(lock.unlockDate)} /> left
                </>
              )}
            </dd>
          </div>
        )}
      </dl>
      <p className={styles.actions}>
        <a className="button gold" href={nextAction.href}>
          {nextAction.label}
        </a>
        <a className="button" href={`/my-position#wallet=${wallet}`}>
          My position
        </a>
      </p>
    </>
  );
}
