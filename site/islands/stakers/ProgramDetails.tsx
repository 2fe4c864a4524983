import type { ReactNode } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { Bone } from '../figure/Bone.tsx';
import { Dash } from '../figure/Dash.tsx';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { formatMoved } from '../figure/moved-amount.ts';
import { RetryButton } from '../figure/RetryButton.tsx';
import staking from '../staking/staking.module.css';
import { Verification } from '../staking/Verification.tsx';
import { lastVerifiedText } from '../staking/verification-words.ts';
import styles from './program.module.css';

type Summary = FigureBodies['/api/staking/program-summary'];

interface DetailsProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<Summary>;
}

const ACTIVITY = new Map([
  [true, 'Active'],
  [false, 'Not active'],
]);

function rowsOf(link: ExplorerLink | null): readonly {
  readonly label: string;
  readonly of: (summary: Summary) => ReactNode;
}[] {
  const address = (id: string, name: string) => (
    <Evidence id={id} href={link?.('address', id) ?? null} name={name} />
  );
  return [
    {
      label: 'State',
      of: ({ isActive }) =>
        isActive === null ? <Dash why="Not known at the moment" /> : ACTIVITY.get(isActive),
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

/** What the staking program is, and whether its accounts agree with the indexed history. */
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
                <>
                  <Bone width={10} />
                  <LoadingWords />
                </>
              ) : (
                <Dash />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className={staking.comparison}>
        <Below reading={reading} link={link} />
      </div>
    </>
  );
}

function Below({ reading, link }: DetailsProps) {
  switch (reading.kind) {
    case 'known':
      return (
        <>
          <Verification body={reading.body} />
          <Alarms summary={reading.body} link={link} />
        </>
      );
    case 'failed':
      return (
        <p>
          The program could not be read ·{' '}
          <RetryButton retry={{ run: reading.retry, running: reading.retrying }} what="the staking program" />
        </p>
      );
    case 'unknown':
      return <p>The program has not been read from the chain yet.</p>;
    case 'loading':
      return null;
  }
}

/** What was done to a watched account beside moving its balance, and what could not be read. */
function Alarms({ summary, link }: { readonly summary: Summary; readonly link: ExplorerLink | null }) {
  const { alarms, quarantined } = summary;
  if (alarms.length === 0 && quarantined === 0) return null;
  return (
    <ul className={styles.alarms}>
      {quarantined === 0 ? null : (
        <li>
          {quarantined === 1
            ? 'One transaction cannot be read: sums over it count as unknown.'
            : `${quarantined} transactions cannot be read: sums over them count as unknown.`}
        </li>
      )}
      {alarms.map(({ kind, account, signature, address }) => (
        <li key={`${signature} ${kind} ${account} ${address}`}>
          {kind.replaceAll(/[-_]/g, ' ')} of the {account.replace('-', ' ')}
          {address === null ? null : (
            <>
              {' '}
              to <Evidence id={address} href={link?.('address', address) ?? null} name="Address" />
            </>
          )}
          : <Evidence id={signature} href={link?.('tx', signature) ?? null} name="Transaction" />
        </li>
      ))}
    </ul>
  );
}
