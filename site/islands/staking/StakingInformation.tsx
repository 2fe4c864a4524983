import type { VaultLiveBalance } from '../../../data/contract/metrics.ts';
import type { ProgramSummary } from '../../../data/contract/stakes.ts';
import type { Reading } from '../../data/figure-query.ts';
import { STAKING_PORTAL_PROGRAM, STAKING_PORTAL_VAULT_BALANCE } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Definition } from '../ui/Definition.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { FullAddress, useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { Dash, Loading } from '../ui/ReadStates.tsx';
import { Comparison } from './Comparison.tsx';
import styles from './staking.module.css';

type InformationTexts = Readonly<
  Record<'lock' | 'lockValue' | 'verification' | 'verificationText' | 'vault' | 'program' | 'token', string>
>;

interface StakingInformationProps {
  readonly texts: InformationTexts;
  readonly explorerUrl: string;
}

export default liveIsland(function StakingInformation({ texts, explorerUrl }: StakingInformationProps) {
  return (
    <StakingInformationView
      texts={texts}
      link={useExplorerLink(explorerUrl)}
      vault={useFigure(STAKING_PORTAL_VAULT_BALANCE)}
      program={useFigure(STAKING_PORTAL_PROGRAM)}
    />
  );
});

interface InformationProps {
  readonly texts: InformationTexts;
  readonly link: ExplorerLink | null;
  readonly vault: Reading<VaultLiveBalance>;
  readonly program: Reading<ProgramSummary>;
}

/** A field of a reading's body: undefined while it loads, null if it is unknown. */
function fieldOf<Body, Name extends keyof Body>(reading: Reading<Body>, name: Name) {
  if (reading.kind === 'known') return reading.body[name];
  return reading.kind === 'loading' ? undefined : null;
}

export function StakingInformationView({ texts, link, vault, program }: InformationProps) {
  return (
    <>
      <dl className="definitions">
        <Definition name={texts.lock}>{texts.lockValue}</Definition>
        <AddressLine label={texts.vault} address={fieldOf(vault, 'vaultAddress')} link={link} />
        <AddressLine label={texts.program} address={fieldOf(program, 'programAddress')} link={link} />
        <AddressLine label={texts.token} address={fieldOf(program, 'tokenAddress')} link={link} />
      </dl>
      <h3 className={styles.heading}>{texts.verification}</h3>
      <p className={styles.quiet}>{texts.verificationText}</p>
      <div className={styles.comparison}>
        <Comparison program={program} />
      </div>
    </>
  );
}

interface AddressLineProps {
  readonly label: string;
  /** Undefined while it loads, null if it is unknown. */
  readonly address: string | null | undefined;
  readonly link: ExplorerLink | null;
}

function AddressLine({ label, address, link }: AddressLineProps) {
  return (
    <Definition name={label} className={styles.addressLine}>
      {address === undefined ? (
        <Loading width={24} />
      ) : address === null ? (
        <Dash />
      ) : (
        <>
          <FullAddress id={address} link={link} />
          <CopyButton text={address} name={label.toLowerCase()} />
        </>
      )}
    </Definition>
  );
}
