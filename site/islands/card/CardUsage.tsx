import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { errorText } from '../../data/call-error.ts';
import { cardUsageQuery, myCardQuery } from '../../data/card-calls.ts';
import { Loading, RetryButton } from '../ui/ReadStates.tsx';
import { walletIsland } from '../wallet/WalletProvider.tsx';
import styles from './card.module.css';
import { useCardWallet } from './use-card-wallet.ts';

const UsageView = lazy(() => import('./UsageView.tsx'));

interface UsageTexts {
  readonly empty: string;
  readonly badge: string;
}

export default walletIsland(ConnectedUsage);

function ConnectedUsage({ texts }: { readonly texts: UsageTexts }) {
  const { walletAddress, isProven } = useCardWallet();
  const ownCardQuery = useQuery({ ...myCardQuery(walletAddress ?? ''), enabled: isProven === true });
  const card = isProven === true ? ownCardQuery.data?.card : null;
  if (!card || card.walletAddress !== walletAddress || card.state === 'pending') {
    return (
      <div className={styles.empty} data-usage="none">
        <p>{texts.empty}</p>
      </div>
    );
  }
  return <CardTransactions cardId={card.cardId} testBadge={card.isTestCard ? texts.badge : null} />;
}

interface CardTransactionsProps {
  readonly cardId: string;
  readonly testBadge: string | null;
}

function CardTransactions({ cardId, testBadge }: CardTransactionsProps) {
  const { data, error, isFetching, isRefetchError, refetch } = useQuery(cardUsageQuery(cardId));
  const retry = { run: () => void refetch(), running: isFetching };
  if (data) {
    return (
      <Suspense fallback={<LoadingUsage />}>
        <UsageView usage={data} testBadge={testBadge} retry={isRefetchError ? retry : null} />
      </Suspense>
    );
  }
  if (error) {
    return (
      <p className={styles.failure} role="alert">
        {errorText(error, 'The card issuer did not respond.')} <RetryButton retry={retry} what="the usage" />
      </p>
    );
  }
  return <LoadingUsage />;
}

function LoadingUsage() {
  return (
    <p aria-busy="true">
      <Loading width={30} />
    </p>
  );
}
