import type { ReactNode } from 'react';
import type { ProgramSummary } from '../../../data/contract/stakes.ts';
import { formatCount } from '../../../data/model/count.ts';
import type { Reading } from '../../data/figure-query.ts';
import styles from '../staking/staking.module.css';
import { Comparison, lastVerifiedText } from '../staking/Verification.tsx';
import { Evidence } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { formatMoved } from '../ui/format.ts';
import { Dash, Loading } from '../ui/ReadStates.tsx';

interface DetailsProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<ProgramSummary>;
}

const ACTIVITY = new Map([
  [true, 'Active'],
  [false, 'Not active'],
]);

function rowsOf(link: ExplorerLink | null): readonly {
  readonly label: string;
  readonly of: (summary: ProgramSummary) => ReactNode;
}[] {
  const address = (id: string, name: string) => <Evidence id={id} kind="address" link={link} name={name} />;
  return [
    {
      label: 'State',
      of: ({ isActive }) => (isActive === null ? <Dash why="Not available" /> : ACTIVITY.get(isActive)),
    },
    { label: 'Program address', of: ({ programAddress }) => address(programAddress, 'Program') },
    { label: 'Stake pool', of: ({ stakePool }) => address(stakePool, 'Stake pool') },
    { label: 'Accounts', of: ({ totalAccounts }) => formatCount(totalAccounts) },
    { label: 'Total value', of: ({ totalValue }) => `${formatMoved(totalValue)} BD` },
    {
      label: 'Last verified',
      of: ({ lastVerified }) => lastVerifiedText(lastVerified) ?? <Dash why="Never" />,
    },
  ];
}

/** The staking program, and whether its accounts agree with the indexed history. */
export function Details({ link, reading }: DetailsProps) {
  return (
    <>
      <dl className="definitions">
        {rowsOf(link).map(({ label, of }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {reading.kind === 'known' ? (
                of(reading.body)
              ) : reading.kind === 'loading' ? (
                <Loading width={10} />
              ) : (
                <Dash />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className={styles.comparison}>
        <Comparison program={reading} />
        {reading.kind === 'known' ? <Alarms summary={reading.body} link={link} /> : null}
      </div>
    </>
  );
}

/** Transactions that changed more than the balance of a watched account, and those that cannot be read. */
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
          {kind.replaceAll(/[-_]/g, ' ')} of the {account.replace('-', ' ')}
          {address === null ? null : (
            <>
              {' '}
              to <Evidence id={address} kind="address" link={link} name="Address" />
            </>
          )}
          : <Evidence id={signature} kind="tx" link={link} name="Transaction" />
        </li>
      ))}
    </ul>
  );
}
