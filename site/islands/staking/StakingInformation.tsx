import {
  type FigureBodies,
  STAKING_PORTAL_PROGRAM,
  STAKING_PORTAL_VAULT_BALANCE,
} from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Bone } from '../figure/Bone.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { RetryButton } from '../figure/RetryButton.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { AddressLine } from './AddressLine.tsx';
import styles from './staking.module.css';
import { Verification } from './Verification.tsx';

export interface InformationWords {
  readonly lock: string;
  readonly lockValue: string;
  readonly verification: string;
  readonly verificationText: string;
  readonly vault: string;
  readonly program: string;
  readonly token: string;
}

interface StakingInformationProps {
  readonly words: InformationWords;
  readonly explorer: string;
}

/** The staking portal's information panel: the lock, how stakes are verified, and the addresses to check. */
export default function StakingInformation(props: StakingInformationProps) {
  return (
    <LiveRoot>
      <LiveInformation {...props} />
    </LiveRoot>
  );
}

function LiveInformation({ words, explorer }: StakingInformationProps) {
  return (
    <Information
      words={words}
      link={useExplorerLink(explorer)}
      vault={useFigure(STAKING_PORTAL_VAULT_BALANCE)}
      program={useFigure(STAKING_PORTAL_PROGRAM)}
    />
  );
}

interface InformationProps {
  readonly words: InformationWords;
  readonly link: ExplorerLink | null;
  readonly vault: Reading<FigureBodies['/api/vault/live-balance']>;
  readonly program: Reading<FigureBodies['/api/staking/program-summary']>;
}

/** A field of a reading's body: undefined while it is being read, null where it is not known. */
function fieldOf<Body, Field>(
  reading: Reading<Body>,
  field: (body: Body) => Field,
): Field | null | undefined {
  if (reading.kind === 'known') return field(reading.body);
  return reading.kind === 'loading' ? undefined : null;
}

export function Information({ words, link, vault, program }: InformationProps) {
  return (
    <>
      <dl className="definitions">
        <div>
          <dt>{words.lock}</dt>
          <dd>{words.lockValue}</dd>
        </div>
        <AddressLine
          label={words.vault}
          address={fieldOf(vault, ({ vaultAddress }) => vaultAddress)}
          link={link}
        />
        <AddressLine
          label={words.program}
          address={fieldOf(program, ({ programAddress }) => programAddress)}
          link={link}
        />
        <AddressLine
          label={words.token}
          address={fieldOf(program, ({ tokenAddress }) => tokenAddress)}
          link={link}
        />
      </dl>
      <h3 className={styles.heading}>{words.verification}</h3>
      <p className={styles.quiet}>{words.verificationText}</p>
      <div className={styles.comparison}>
        <Comparison program={program} />
      </div>
    </>
  );
}

function Comparison({ program }: Pick<InformationProps, 'program'>) {
  switch (program.kind) {
    case 'known':
      return <Verification body={program.body} />;
    case 'loading':
      return (
        <p>
          <Bone width={24} />
          <LoadingWords />
        </p>
      );
    case 'unknown':
      return <p>The program has not been read yet.</p>;
    case 'failed':
      return (
        <p>
          The program could not be read ·{' '}
          <RetryButton retry={{ run: program.retry, running: program.retrying }} what="the staking program" />
        </p>
      );
  }
}
