import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { faultText } from '../../data/call-fault.ts';
import { cardUsageQuery, myCardQuery } from '../../data/card-calls.ts';
import { Bone } from '../figure/Bone.tsx';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import styles from './card.module.css';
import { useCardWallet } from './use-card-wallet.ts';

/** The table is loaded for who has a card. */
const UsageView = lazy(() => import('./UsageView.tsx'));

export interface UsageWords {
  readonly empty: string;
  readonly badge: string;
}

/** What the card of the proved wallet has paid for; without one, a word on how to get it. */
export default function CardUsage({ words }: { readonly words: UsageWords }) {
  return (
    <LiveRoot>
      <WalletProvider>
        <ConnectedUsage words={words} />
      </WalletProvider>
    </LiveRoot>
  );
}

function ConnectedUsage({ words }: { readonly words: UsageWords }) {
  const { walletAddress, isProved } = useCardWallet();
  const mine = useQuery({ ...myCardQuery(walletAddress ?? ''), enabled: isProved === true });
  const card = isProved === true ? mine.data?.card : null;
  if (!card || card.walletAddress !== walletAddress || card.state === 'pending') {
    return (
      <div className={styles.empty}>
        <p>{words.empty}</p>
      </div>
    );
  }
  return <Used cardId={card.cardId} testBadge={card.isTestCard ? words.badge : null} />;
}

function Used({ cardId, testBadge }: { readonly cardId: string; readonly testBadge: string | null }) {
  const { data, error, isFetching, isRefetchError, refetch } = useQuery(cardUsageQuery(cardId));
  const retry = { run: () => void refetch(), running: isFetching };
  if (data) {
    return (
      <Suspense fallback={<Reading />}>
        <UsageView usage={data} testBadge={testBadge} behind={isRefetchError ? retry : null} />
      </Suspense>
    );
  }
  if (error) {
    return (
      <p className={styles.fault} role="alert">
        {faultText(error, 'The issuer did not answer.')} <RetryButton retry={retry} what="the usage" />
      </p>
    );
  }
  return <Reading />;
}

function Reading() {
  return (
    <p aria-busy="true">
      <LoadingWords /> <Bone width={30} />
    </p>
  );
}
