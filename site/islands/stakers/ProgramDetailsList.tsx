import type { ReactNode } from 'react';
import type { ProgramSummary } from '../../../data/contract/stakes.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import type { Reading } from '../../data/figure-query.ts';
import { Comparison, lastVerifiedText } from '../staking/Comparison.tsx';
import styles from '../staking/staking.module.css';
import { Definition } from '../ui/Definition.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { formatAmount } from '../ui/format.ts';
import { LinkedId } from '../ui/LinkedId.tsx';
import { Dash, Loading } from '../ui/ReadStates.tsx';

interface DetailsProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<ProgramSummary>;
}

export function ProgramDetailsList({ link, reading }: DetailsProps) {
  const renderRow = (name: string, contentOf: (summary: ProgramSummary) => ReactNode) => (
    <Definition name={name}>
      {reading.kind === 'known' ? (
        contentOf(reading.body)
      ) : reading.kind === 'loading' ? (
        <Loading width={10} />
      ) : (
        <Dash />
      )}
    </Definition>
  );
  const renderAddress = (id: string, name: string) => (
    <LinkedId id={id} kind="address" link={link} name={name} />
  );
  return (
    <>
      <dl className="definitions">
        {renderRow('State', ({ isActive }) =>
          isActive === null ? <Dash /> : isActive ? 'Active' : 'Not active',
        )}
        {renderRow('Program address', ({ programAddress }) => renderAddress(programAddress, 'Program'))}
        {renderRow('Stake pool', ({ stakePool }) => renderAddress(stakePool, 'Stake pool'))}
        {renderRow('Accounts', ({ totalAccounts }) => formatCount(totalAccounts))}
        {renderRow('Total value', ({ totalValue }) => `${formatAmount(totalValue)} BD`)}
        {renderRow(
          'Last verified',
          ({ lastVerified }) => lastVerifiedText(lastVerified) ?? <Dash why="Never" />,
        )}
      </dl>
      <div className={styles.comparison}>
        <Comparison program={reading} />
        {reading.kind === 'known' ? <Alarms summary={reading.body} link={link} /> : null}
      </div>
    </>
  );
}

const ACCOUNT_LABELS = { vault: 'Vault', 'stake-pool': 'Stake pool' } as const;

/** Transactions that need attention: quarantined ones, and those that closed a watched account or changed the rights to it. */
function Alarms({ summary, link }: { readonly summary: ProgramSummary; readonly link: ExplorerLink | null }) {
  const { alarms, quarantined } = summary;
  if (alarms.length === 0 && quarantined === 0) return null;
  return (
    <ul className={styles.alarms}>
      {quarantined === 0 ? null : (
        <li>
          {quarantined === 1
            ? 'One transaction cannot be read. Totals that include it are unknown.'
            : `${quarantined} transactions cannot be read. Totals that include them are unknown.`}
        </li>
      )}
      {alarms.map(({ kind, account, signature, address }) => (
        <li key={`${signature} ${kind} ${account} ${address}`}>
          {ACCOUNT_LABELS[account]}: {kind.replaceAll('-', ' ')}
          {address === null ? null : (
            <>
              , address <LinkedId id={address} kind="address" link={link} name="Address" />
            </>
          )}
          , in transaction <LinkedId id={signature} kind="tx" link={link} name="Transaction" />
        </li>
      ))}
    </ul>
  );
}
