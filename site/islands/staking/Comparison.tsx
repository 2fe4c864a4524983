import * as PATHS from '../../../data/contract/paths.ts';
import type { ProgramSummary } from '../../../data/contract/stakes.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import type { Reading } from '../../data/figure-query.ts';
import { Age } from '../ui/Figure.tsx';
import { momentText } from '../ui/format.ts';
import { Loading, RetryButton } from '../ui/ReadStates.tsx';
import styles from './staking.module.css';

interface ComparisonTexts {
  readonly tone: 'good' | 'warning' | 'bad' | 'none';
  readonly text: string;
  readonly differences: readonly string[];
}

function atSlot(slot: number | null): string {
  return slot === null ? '' : ` at slot ${formatCount(slot)}`;
}

export function comparisonTexts({
  state,
  slot,
  differences,
}: ProgramSummary['verification']): ComparisonTexts {
  switch (state) {
    case 'agree':
      return { tone: 'good', text: `The chain and our history agree${atSlot(slot)}`, differences: [] };
    case 'overdue':
      return {
        tone: 'warning',
        text: `The chain and our history agreed${atSlot(slot)} but have not been compared since`,
        differences: [],
      };
    case 'not-yet':
      return { tone: 'none', text: 'The chain and our history have not been compared yet', differences: [] };
    case 'differs':
      return {
        tone: 'bad',
        text: `The chain and our history differ${atSlot(slot)}`,
        differences: differences.map(
          ({ what, onChain, indexed }) => `${what}: ${onChain} on the chain, ${indexed} indexed`,
        ),
      };
  }
}

/** The date of the last verification: `Recently` if it cannot be parsed, null if there is none. */
export function lastVerifiedText(moment: string | null): string | null {
  if (moment === null) return null;
  return Number.isNaN(Date.parse(moment)) ? 'Recently' : momentText(moment);
}

export function Comparison({ program }: { readonly program: Reading<ProgramSummary> }) {
  switch (program.kind) {
    case 'known':
      return <ComparisonResult body={program.body} />;
    case 'loading':
      return (
        <p>
          <Loading width={24} />
        </p>
      );
    case 'unknown':
      return <p>Loading the staking program from the chain.</p>;
    case 'failed':
      return (
        <p>
          Could not load the staking program ·{' '}
          <RetryButton
            retry={{ run: program.retry, running: program.isRetrying }}
            what="the staking program"
          />
        </p>
      );
  }
}

function ComparisonResult({ body }: { readonly body: ProgramSummary }) {
  const { tone, text, differences } = comparisonTexts(body.verification);
  return (
    <div className={styles.verification} data-tone={tone}>
      <p>
        <span className={styles.sign} aria-hidden="true" />
        {text}
      </p>
      {differences.length === 0 ? null : (
        <ul>
          {differences.map((difference) => (
            <li key={difference}>{difference}</li>
          ))}
        </ul>
      )}
      <p className={styles.read}>
        Read <Age read={{ asOf: Date.parse(body.asOf), source: 'chain', calls: [PATHS.programSummary] }} />
      </p>
    </div>
  );
}
