import type { StakingTotal, VaultLiveBalance } from '../../../data/contract/metrics.ts';
import {
  type AllocationPart,
  type LivePart,
  liveAllocation,
  statedAllocation,
} from '../../../data/model/allocation.ts';
import { fromDecimalText, toDecimalText } from '../../../data/model/amounts.ts';
import { formatAbbreviated } from '../../../data/model/format.ts';
import type { Reading } from '../../data/figure-query.ts';
import { ANALYTICS_STAKING_TOTAL, ANALYTICS_VAULT_BALANCE } from '../../data/figure-strategies.ts';
import type { FigureRead } from '../../data/source-freshness.ts';
import { type Provenance, provenanceOf } from '../ui/provenance.ts';

/** The labels of the supply. */
export interface SupplyLabels extends Readonly<Record<PartName, string>> {
  readonly totalSupply: string;
  readonly marketSupply: string;
  readonly reduced: string;
  readonly chart: string;
  /** The date of the stated amounts: `According to the project, November 2026`. */
  readonly asStated: string;
}

export interface SupplySectionProps {
  readonly view: SupplyView;
  readonly labels: SupplyLabels;
}

export type PartName = AllocationPart['part'];

export interface SupplyReadings {
  readonly vault: Reading<VaultLiveBalance>;
  readonly staking: Reading<StakingTotal>;
}

// Enough for the base units of any mint: sums of decimal text stay exact.
const EXACT_DECIMALS = 18;

/** One row of the allocation table. */
export interface PartRow {
  readonly part: PartName;
  readonly stated: { readonly amount: string; readonly percent: string };
  /** Current amount and share; null if unknown. */
  readonly live: { readonly amount: string; readonly percent: string } | null;
  /** The provenance of the live amount. */
  readonly provenance: Provenance;
}

/** The allocation of the market supply, stated and live. */
interface SupplyView {
  readonly rows: readonly PartRow[];
  /** Shares of the bar: live if all are known and none is negative, otherwise the stated ones. */
  readonly shares: readonly { readonly id: PartName; readonly label: string; readonly percent: number }[];
  readonly isLive: boolean;
  /** The provenance of the remainder, which is the reduced supply. It is as old as its older figure. */
  readonly rest: Provenance;
}

function amountOf(text: string | null): bigint | null {
  return text === null ? null : fromDecimalText(text, EXACT_DECIMALS);
}

function partText({ amount, percent }: LivePart): PartRow['live'] {
  return amount === null || percent === null
    ? null
    : {
        amount: formatAbbreviated(toDecimalText(amount, EXACT_DECIMALS)),
        percent: percent.replace('-', '−'),
      };
}

/** The provenance of the remainder: we don't total incomplete data. */
function restProvenance(vault: Provenance, staked: Provenance): Provenance {
  if (vault.kind === 'read' && staked.kind === 'read') {
    const older: FigureRead = vault.asOf < staked.asOf ? vault : staked;
    return { ...older, kind: 'read', calls: [...vault.calls, ...staked.calls] };
  }
  if (vault.kind === 'loading' || staked.kind === 'loading') return { kind: 'loading' };
  return { kind: 'unavailable', why: 'Requires both live figures', retry: null };
}

/** The market supply by its parts, without reference values. */
export function supplyView(
  { vault, staking }: SupplyReadings,
  labels: Readonly<Record<PartName, string>>,
): SupplyView {
  const ofVault = provenanceOf(ANALYTICS_VAULT_BALANCE.path, vault, 'unavailable');
  const ofStaked = provenanceOf(ANALYTICS_STAKING_TOTAL.path, staking, 'unavailable');
  const rest = restProvenance(ofVault, ofStaked);
  const provenances = {
    vault: ofVault,
    staked: ofStaked,
    streamflow: { kind: 'stated' },
    market: rest,
  } as const;
  const live = liveAllocation(
    amountOf(vault.kind === 'known' ? vault.body.vaultBalance : null),
    amountOf(staking.kind === 'known' ? staking.body.balance : null),
    EXACT_DECIMALS,
  );
  const isLive = live.every(({ amount }) => amount !== null && amount >= 0n);
  const stated = statedAllocation();
  return {
    rows: stated.map(({ part, amountBd, percent }, index) => ({
      part,
      stated: { amount: formatAbbreviated(amountBd.toString()), percent: percent.toFixed(1) },
      live: partText(live[index] ?? { part, amount: null, percent: null }),
      provenance: provenances[part],
    })),
    shares: stated.map(({ part, percent }, index) => ({
      id: part,
      label: labels[part],
      percent: isLive ? Number(live[index]?.percent) : percent,
    })),
    isLive,
    rest,
  };
}
