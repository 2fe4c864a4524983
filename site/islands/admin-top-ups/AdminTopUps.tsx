import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { fieldError } from '../../../data/model/forms/field.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';
import { AdminPage, Loaded } from '../admin/AdminPage.tsx';
import {
  type TopUpsReport as TopUpsState,
  topUpsQuery,
  useChange,
  useHasRole,
} from '../admin/admin-calls.ts';
import { Moment } from '../admin-dashboard/status-labels.tsx';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import styles from './admin-top-ups.module.css';

const WALLET_FIELD = { kind: 'wallet', label: 'Card’s wallet' } as const;

export default function AdminTopUps() {
  return (
    <AdminPage>
      <TopUps />
    </AdminPage>
  );
}

function TopUps() {
  const reading = useQuery(topUpsQuery());
  return (
    <Loaded reading={reading} what="the top-ups">
      {(topUps) => (
        <>
          <TransferReadState readProgress={topUps.readProgress} />
          <Unmatched {...topUps} />
          <Credited {...topUps} />
        </>
      )}
    </Loaded>
  );
}

function TransferReadState({ readProgress }: Pick<TopUpsState, 'readProgress'>) {
  if (readProgress === null)
    return (
      <p className={styles.quiet}>
        The portal does not read transfers. The team credits top-ups outside the portal.
      </p>
    );
  const { block, readAt, comparedAt, difference } = readProgress;
  const agrees = difference === '0';
  return (
    <p className={agrees ? styles.quiet : styles.differs} data-agrees={agrees}>
      Read up to block {block}, <Moment at={readAt} />.{' '}
      {agrees
        ? 'The balance of the funding address matches its transfers.'
        : `The balance of the funding address differs from its transfers by ${difference} USDT.`}{' '}
      Compared <Moment at={comparedAt} />.
    </p>
  );
}

function Unmatched({ unmatched, waiting }: TopUpsState) {
  const [openTransferId, setOpenTransferId] = useState<string | null>(null);
  const mayAct = useHasRole('reviewer') === true;
  return (
    <section className={styles.part} aria-labelledby="unmatched" data-waiting={waiting}>
      <h2 id="unmatched">Transfers without a card</h2>
      {unmatched.length === 0 ? (
        <p className={styles.quiet}>No transfers are waiting.</p>
      ) : (
        <>
          <p className={styles.quiet}>
            The decimals of these amounts don’t match a card in use. Find out who sent each transfer, and
            credit it to that person’s card. Close a transfer if you returned it, or if it was not for a card.
          </p>
          <ul className={styles.transfers}>
            {unmatched.map((transfer) => (
              <li key={transfer.transferId} data-transfer={transfer.transferId}>
                <Transfer {...transfer}>
                  <Fact label="Sender">
                    <span className={styles.code}>{transfer.sender}</span>
                  </Fact>
                  {transfer.closedCard === null ? null : (
                    <Fact label="Matching card">
                      <span className={styles.code}>{transfer.closedCard}</span>, which is closed
                    </Fact>
                  )}
                </Transfer>
                {!mayAct ? null : openTransferId === transfer.transferId ? (
                  <BookForm {...transfer} onClose={() => setOpenTransferId(null)} />
                ) : (
                  <button
                    type="button"
                    className="button"
                    onClick={() => setOpenTransferId(transfer.transferId)}
                  >
                    Credit or close<span className="visually-hidden"> {transfer.amount} USDT</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
          {waiting > unmatched.length ? (
            <p className={styles.quiet}>
              The oldest {unmatched.length} of {waiting} are shown.
            </p>
          ) : null}
        </>
      )}
    </section>
  );
}

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

type ListedTransfer = Pick<TopUpsState['credited'][number], 'transferId' | 'at' | 'amount'>;

function Transfer({ transferId, at, amount, children }: ListedTransfer & { readonly children: ReactNode }) {
  const [, transaction] = transferId.split('-');
  return (
    <dl className={styles.transfer}>
      <Fact label="Amount">
        <strong>{amount} USDT</strong>
      </Fact>
      <Fact label="Sent">
        <Moment at={at} />
      </Fact>
      <Fact label="Transaction">
        <span className={styles.code}>{transaction}</span>
      </Fact>
      {children}
    </dl>
  );
}

function Credited({ credited }: TopUpsState) {
  if (credited.length === 0) return null;
  return (
    <section className={styles.part} aria-labelledby="credited">
      <h2 id="credited">Newest card top-ups</h2>
      <p className={styles.quiet}>
        A top-up moves no money at the issuer. In Stripe, a card’s metadata lists this card id as portal_card.
      </p>
      <ul className={styles.transfers}>
        {credited.map(({ credited: creditedAmount, creditedAt, cardId, ...transfer }) => (
          <li key={transfer.transferId} data-transfer={transfer.transferId}>
            <Transfer {...transfer}>
              <Fact label="Credited">
                {creditedAmount} USDT, <Moment at={creditedAt} />
              </Fact>
              <Fact label="Card">
                <span className={styles.code}>{cardId ?? 'Erased'}</span>
              </Fact>
            </Transfer>
          </li>
        ))}
      </ul>
    </section>
  );
}

type UnmatchedTransfer = TopUpsState['unmatched'][number];

function BookForm({ transferId, amount, onClose }: UnmatchedTransfer & { readonly onClose: () => void }) {
  const id = useId();
  const change = useChange();
  const [wallet, setWallet] = useState('');
  const [error, setError] = useState<string | null>(null);
  const book = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const walletError = fieldError(WALLET_FIELD, wallet);
    if (walletError) return setError(walletError.message);
    const outcome = await change.send(PATHS.bookTopUp, { transferId, walletAddress: wallet.trim() });
    if (outcome === null) return;
    if (outcome.kind !== 'done') return setError(outcome.message);
    void showToast({
      title: 'Top-up credited',
      text: `${outcome.body.credited} USDT was credited.`,
      kind: 'success',
    });
    onClose();
  };
  const settle = async () => {
    const outcome = await change.send(PATHS.settleTopUp, { transferId });
    if (outcome === null) return;
    if (outcome.kind !== 'done') return setError(outcome.message);
    void showToast({ title: 'Transfer closed', text: `${amount} USDT`, kind: 'success' });
    onClose();
  };
  return (
    <form
      className={form.form}
      onSubmit={(event) => void book(event)}
      aria-label={`Credit or close ${amount} USDT`}
      noValidate
    >
      <Field
        id={id}
        name="walletAddress"
        value={wallet}
        error={error}
        onValue={setWallet}
        label="Card’s wallet"
        hint="The wallet’s card gets the amount minus the fee. If the transfer was returned or was not for a card, close it instead. Neither can be undone."
        autoComplete="off"
      />
      <p className={form.actions}>
        <button type="submit" className="button gold" aria-disabled={change.isBusy}>
          {change.isBusy ? 'Saving...' : 'Credit the card'}
        </button>
        <button type="button" className="button" aria-disabled={change.isBusy} onClick={() => void settle()}>
          Close without a top-up
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </form>
  );
}
