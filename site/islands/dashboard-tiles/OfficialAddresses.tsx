import type { VaultLiveBalance } from '../../../data/contract/metrics.ts';
import type { ProgramSummary } from '../../../data/contract/stakes.ts';
import type { Reading } from '../../data/figure-query.ts';
import { DASHBOARD_VAULT_BALANCE, PROGRAM_SUMMARY } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { FullAddress } from '../ui/LinkedId.tsx';
import { Dash, Loading } from '../ui/ReadStates.tsx';
import styles from './dashboard-tiles.module.css';

const vaultAddressOf = ({ vaultAddress }: VaultLiveBalance) => vaultAddress;
const programAddressOf = ({ programAddress }: ProgramSummary) => programAddress;
const tokenAddressOf = ({ tokenAddress }: ProgramSummary) => tokenAddress;

/** The three addresses that a visitor can look up in an explorer to check the figures. */
export function OfficialAddresses({ link }: { readonly link: ExplorerLink | null }) {
  const addresses = [
    { name: 'Token contract address', reading: useFigure(PROGRAM_SUMMARY, tokenAddressOf) },
    { name: 'Vault address', reading: useFigure(DASHBOARD_VAULT_BALANCE, vaultAddressOf) },
    { name: 'Staking program address', reading: useFigure(PROGRAM_SUMMARY, programAddressOf) },
  ];
  return (
    <dl className={styles.addresses}>
      {addresses.map(({ name, reading }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Address reading={reading} link={link} />
          </dd>
          <dd>
            {reading.kind === 'known' ? <CopyButton text={reading.body} name={name.toLowerCase()} /> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface AddressProps {
  readonly reading: Reading<string>;
  readonly link: ExplorerLink | null;
}

function Address({ reading, link }: AddressProps) {
  switch (reading.kind) {
    case 'loading':
      return <Loading width={40} />;
    case 'known':
      return <FullAddress id={reading.body} link={link} />;
    default:
      return <Dash />;
  }
}
