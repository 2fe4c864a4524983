import { lazy, type ReactNode, Suspense } from 'react';
import type { MyCard } from '../../data/card-calls.ts';
import { momentText } from '../ui/format.ts';
import { RetryButton } from '../ui/ReadStates.tsx';
import { walletIsland } from '../wallet/WalletProvider.tsx';
import styles from './card.module.css';
import { type CardProgress, GenerateSteps } from './GenerateSteps.tsx';
import type { SandboxTexts } from './OwnCard.tsx';
import { useCardWallet } from './use-card-wallet.ts';
import { useEligibility } from './use-eligibility.ts';
import { useOwnCard } from './use-own-card.ts';

// Loaded if the wallet has a card.
const OwnCard = lazy(() => import('./OwnCard.tsx'));

interface CardDetailsProps {
  readonly texts: SandboxTexts;
  /** The sample artwork, shown until there is a card. */
  readonly children?: ReactNode;
}

/** The steps to get a card, or the card. */
export default walletIsland(ConnectedDetails);

export function ConnectedDetails({ texts, children }: CardDetailsProps) {
  const wallet = useCardWallet();
  const eligibility = useEligibility(wallet.walletAddress);
  const own = useOwnCard(wallet);
  if (own.card !== null) {
    const { card, shown, task, failure, reveal, setFrozen, generate } = own;
    const checkAgain = () => generate(card.holderName);
    return (
      <Suspense fallback={<div className={styles.own} aria-busy="true" />}>
        <OwnCard
          {...{ card, shown, texts, failure, reveal, setFrozen, checkAgain }}
          task={task === 'generating' ? 'checking' : task}
        />
      </Suspense>
    );
  }
  const progress: CardProgress = {
    wallet: wallet.walletAddress,
    isConnecting: wallet.isConnecting,
    isProved: own.isReading ? null : wallet.isProved,
    isProving: own.task === 'proving',
    isEligible: eligibility.kind === 'known' ? eligibility.body.eligible : null,
    cardsLeft: own.cardsLeft,
    isGenerating: own.task === 'generating',
    failure: own.failure,
  };
  return (
    <div className={styles.own} data-way>
      <div className={styles.sample}>{children}</div>
      <div>
        {own.lastClosed === null ? null : <Closed lastClosed={own.lastClosed} />}
        {own.retry === null ? (
          <GenerateSteps
            progress={progress}
            connect={wallet.connect}
            prove={own.prove}
            generate={own.generate}
          />
        ) : (
          <p className={styles.failure} role="alert">
            Could not load the card of this wallet.{' '}
            <RetryButton retry={{ run: own.retry, running: own.isReading }} what="the card" />
          </p>
        )}
      </div>
    </div>
  );
}

function Closed({ lastClosed }: { readonly lastClosed: NonNullable<MyCard['lastClosed']> }) {
  const { closedAt, closedFor, lastFour } = lastClosed;
  const card = lastFour === null ? 'card' : `card ending in ${lastFour}`;
  return (
    <p className={styles.failure} data-closed-for={closedFor}>
      {closedFor === 'team' ? (
        <>
          Our team closed your {card} on {momentText(closedAt)}. To ask why, or for another card,{' '}
          <a href="/contact">contact support</a>.
        </>
      ) : (
        `We closed your ${card} on ${momentText(closedAt)}, because its stake was gone. Stake enough again to get another one while cards are left.`
      )}
    </p>
  );
}
