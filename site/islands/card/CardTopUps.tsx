import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorText } from '../../data/call-error.ts';
import { cardTopUpsQuery, fundingQuery, myCardQuery, type TopUps } from '../../data/card-calls.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { momentText } from '../ui/format.ts';
import { Dash, Loading, RetryButton } from '../ui/ReadStates.tsx';
import { walletIsland } from '../wallet/WalletProvider.tsx';
import styles from './card.module.css';
import { useCardWallet } from './use-card-wallet.ts';

export default walletIsland(ConnectedTopUps);

export function ConnectedTopUps() {
  const { walletAddress, isProven } = useCardWallet();
  const ownCardQuery = useQuery({ ...myCardQuery(walletAddress ?? ''), enabled: isProven === true });
  const funding = useQuery(fundingQuery());
  const card = isProven === true ? ownCardQuery.data?.card : null;
  const isCreditedAutomatically = funding.data?.isOpen === true && funding.data.isCreditedAutomatically;
  const hasCard = card?.walletAddress === walletAddress && card.state !== 'pending';
  if (hasCard)
    return (
      <OwnTopUps key={card.cardId} cardId={card.cardId} isCreditedAutomatically={isCreditedAutomatically} />
    );
  if (!isCreditedAutomatically) return null;
  return (
    <p className={styles.quiet} data-top-ups="none">
      Once you have a card, connect its wallet and prove ownership to see the card’s decimals here.
    </p>
  );
}

interface OwnTopUpsProps {
  readonly cardId: string;
  readonly isCreditedAutomatically: boolean;
}

function OwnTopUps({ cardId, isCreditedAutomatically }: OwnTopUpsProps) {
  const { data, error, isFetching, refetch } = useQuery(cardTopUpsQuery(cardId));
  const retryButton = (
    <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what="your top-ups" />
  );
  if (data) {
    return (
      <TopUpsView topUps={data} isCreditedAutomatically={isCreditedAutomatically}>
        {error === null ? null : (
          <p className={styles.amber} role="status">
            Could not update. {retryButton}
          </p>
        )}
      </TopUpsView>
    );
  }
  if (error === null) return <Loading width={30} />;
  return (
    <p className={styles.failure} role="alert">
      {errorText(error, 'Could not load your top-ups.')} {retryButton}
    </p>
  );
}

const STATE_LABELS = {
  confirming: 'Confirming',
  credited: 'Credited',
  unmatched: 'With our team',
  settled: 'Not credited',
} as const satisfies Readonly<Record<TopUps['topUps'][number]['state'], string>>;

const dashReason = (state: keyof typeof STATE_LABELS) =>
  state === 'settled' ? 'Not credited' : 'Not credited yet';

/** The digits of the example amount before the decimal point. The card's own decimals follow the point. */
const EXAMPLE = '100';

function TopUpsView({
  topUps: { decimals, topUps },
  isCreditedAutomatically,
  children,
}: Omit<OwnTopUpsProps, 'cardId'> & { readonly topUps: TopUps; readonly children: ReactNode }) {
  return (
    <div className={styles.topups} data-top-ups={topUps.length}>
      {children}
      {!isCreditedAutomatically ? null : decimals === null ? (
        <p role="status">Your card gets its decimals within a minute.</p>
      ) : (
        <div>
          <h3>Your decimals</h3>
          <p>
            End every amount with <strong data-decimals>.{decimals}</strong>, for example{' '}
            <strong>
              {EXAMPLE}.{decimals} USDT
            </strong>
            . The decimals tell us that the transfer is for your card. They are part of the amount and are
            credited too.
          </p>
          <CopyButton text={`${EXAMPLE}.${decimals}`} name="example amount" showsName />
        </div>
      )}
      {topUps.length === 0 ? null : (
        <table className="table stacked">
          <caption>Your top-ups</caption>
          <thead>
            <tr>
              <th scope="col">Sent</th>
              <th scope="col">Amount (USDT)</th>
              <th scope="col">Fee</th>
              <th scope="col">Credited</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {topUps.map(({ id, at, amount, fee, credited, state }) => (
              <tr key={id} data-top-up={state}>
                <th scope="row">
                  <time dateTime={at}>{momentText(at)}</time>
                </th>
                <td data-name="Amount (USDT)">{amount}</td>
                <td data-name="Fee">
                  <span>{fee ?? <Dash why={dashReason(state)} />}</span>
                </td>
                <td data-name="Credited">
                  <span>{credited ?? <Dash why={dashReason(state)} />}</span>
                </td>
                <td data-name="State">{STATE_LABELS[state]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
