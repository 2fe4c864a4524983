import { formatCount } from '../../../data/model/count.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';

type Verification = FigureBodies['/api/staking/program-summary']['verification'];

/** What the last comparison of the chain's accounts with the indexed history says, in words. */
export interface VerificationWords {
  readonly tone: 'good' | 'warning' | 'bad' | 'none';
  readonly text: string;
  /** Each difference by itself, as it is. */
  readonly differences: readonly string[];
}

function atSlot(slot: number | null): string {
  return slot === null ? '' : ` at slot ${formatCount(slot)}`;
}

export function verificationWords({ state, slot, differences }: Verification): VerificationWords {
  switch (state) {
    case 'agree':
      return { tone: 'good', text: `Accounts and history agree${atSlot(slot)}`, differences: [] };
    case 'overdue':
      return {
        tone: 'warning',
        text: `Accounts and history agreed${atSlot(slot)}, and were not compared for a quarter of an hour`,
        differences: [],
      };
    case 'not-yet':
      return { tone: 'none', text: 'Accounts and history have not been compared yet', differences: [] };
    case 'differs':
      return {
        tone: 'bad',
        text: `Accounts and history differ${atSlot(slot)}`,
        differences: differences.map(
          ({ what, onChain, indexed }) => `${what}: ${onChain} on the chain, ${indexed} indexed`,
        ),
      };
  }
}

/** How a last-verified date is shown (UTC); `Recently` where it is there and cannot be read, null where there is none. */
export function lastVerifiedText(moment: string | null): string | null {
  if (moment === null) return null;
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return 'Recently';
  const text = at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return `${text} UTC`;
}
