import type { VaultLiveBalance } from '../../../data/contract/metrics.ts';
import type { ProgramSummary } from '../../../data/contract/stakes.ts';
import type { Reading } from '../../data/figure-query.ts';
import { STAKING_PORTAL_PROGRAM, STAKING_PORTAL_VAULT_BALANCE } from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { FullId, useExplorerLink } from '../ui/Evidence.tsx';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { liveIsland } from '../ui/Live.tsx';
import { Dash, Loading } from '../ui/ReadStates.tsx';
import styles from './staking.module.css';
import { Comparison } from './Verification.tsx';

interface InformationTexts {
  readonly lock: string;
  readonly lockValue: string;
  readonly verification: string;
  readonly verificationText: string;
  readonly vault: string;
  readonly program: string;
  readonly token: string;
}

interface StakingInformationProps {
  readonly texts: InformationTexts;
  readonly explorer: string;
}

/** The staking portal's information panel: lock, verification, and the addresses to check. */
export default liveIsland(function StakingInformation({ texts, explorer }: StakingInformationProps) {
  return (
    <Information
      texts={texts}
      link={useExplorerLink(explorer)}
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

/** A field of a reading's body: undefined while it loads, null if unknown. */
function fieldOf<Body, Field>(
  reading: Reading<Body>,
  field: (body: Body) => Field,
): Field | null | undefined {
  if (reading.kind === 'known') return field(reading.body);
  return reading.kind === 'loading' ? undefined : null;
}

export function Information({ texts, link, vault, program }: InformationProps) {
  return (
    <>
      <dl className="definitions">
        <div>
          <dt>{texts.lock}</dt>
          <dd>{texts.lockValue}</dd>
        </div>
        <AddressLine
          label={texts.vault}
          address={fieldOf(vault, ({ vaultAddress }) => vaultAddress)}
          link={link}
        />
        <AddressLine
          label={texts.program}
          address={fieldOf(program, ({ programAddress }) => programAddress)}
          link={link}
        />
        <AddressLine
          label={texts.token}
          address={fieldOf(program, ({ tokenAddress }) => tokenAddress)}
          link={link}
        />
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
  /** Undefined while it loads; null if it is unknown. */
  readonly address: string | null | undefined;
  readonly link: ExplorerLink | null;
}

/** An address in full, linked to the explorer, with a copy button. */
function AddressLine({ label, address, link }: AddressLineProps) {
  return (
    <div className={styles.line}>
      <dt>{label}</dt>
      <dd>
        {address === undefined ? (
          <Loading width={24} />
        ) : address === null ? (
          <Dash />
        ) : (
          <>
            <FullId id={address} kind="address" link={link} className={styles.address} />
            <CopyButton text={address} name={label.toLowerCase()} />
          </>
        )}
      </dd>
    </div>
  );
}
