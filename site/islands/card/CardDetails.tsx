import { lazy, type ReactNode, Suspense } from 'react';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import styles from './card.module.css';
import { type CardWay, GenerateSteps } from './GenerateSteps.tsx';
import type { SandboxWords } from './OwnCard.tsx';
import { useCardWallet } from './use-card-wallet.ts';
import { useEligibility } from './use-eligibility.ts';
import { useOwnCard } from './use-own-card.ts';

/** The plate's engraving is loaded for who has a card. */
const OwnCard = lazy(() => import('./OwnCard.tsx'));

interface CardDetailsProps {
  readonly words: SandboxWords;
  /** The sample that stands in the card's place until there is one. */
  readonly children?: ReactNode;
}

/** The way to a card, step by step; then the card. */
export default function CardDetails(props: CardDetailsProps) {
  return (
    <LiveRoot>
      <WalletProvider>
        <ConnectedDetails {...props} />
      </WalletProvider>
    </LiveRoot>
  );
}

export function ConnectedDetails({ words, children }: CardDetailsProps) {
  const wallet = useCardWallet();
  const eligibility = useEligibility(wallet.walletAddress);
  const own = useOwnCard(wallet);
  if (own.card !== null) {
    const { card, shown, task, fault, reveal, setFrozen, generate } = own;
    const askAgain = () => generate(card.holderName);
    return (
      <Suspense fallback={<div className={styles.own} aria-busy="true" />}>
        <OwnCard
          {...{ card, shown, words, fault, reveal, setFrozen, askAgain }}
          task={task === 'generating' ? 'asking' : task}
        />
      </Suspense>
    );
  }
  const way: CardWay = {
    wallet: wallet.walletAddress,
    isConnecting: wallet.isConnecting,
    isProved: own.isReading ? null : wallet.isProved,
    isProving: own.task === 'proving',
    isEligible: eligibility.kind === 'known' ? eligibility.body.eligible : null,
    cardsLeft: own.cardsLeft,
    isGenerating: own.task === 'generating',
    fault: own.fault,
  };
  return (
    <div className={styles.own} data-way>
      <div className={styles.sample}>{children}</div>
      <div>
        {own.retry === null ? (
          <GenerateSteps way={way} connect={wallet.connect} prove={own.prove} generate={own.generate} />
        ) : (
          <p className={styles.fault} role="alert">
            Whether this wallet has a card could not be read.{' '}
            <RetryButton retry={{ run: own.retry, running: own.isReading }} what="the card" />
          </p>
        )}
      </div>
    </div>
  );
}
