import { fromDecimalText, toDecimalText } from '../../../data/model/amounts.ts';
import { formatAbbreviated } from '../../../data/model/format.ts';
import { type LivePart, liveAllocation } from '../../../data/model/live-allocation.ts';
import type { AllocationPart } from '../../../data/model/stated-allocation.ts';
import { statedAllocation } from '../../../data/model/stated-allocation.ts';
import {
  ANALYTICS_STAKING_TOTAL,
  ANALYTICS_VAULT_BALANCE,
  type FigureBodies,
} from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import type { FigureRead } from '../../data/source-freshness.ts';
import { type Provenance, provenanceWithoutFallback } from '../figure/provenance.ts';

export type PartName = AllocationPart['part'];

export interface SupplyReadings {
  readonly vault: Reading<FigureBodies['/api/vault/live-balance']>;
  readonly staking: Reading<FigureBodies['/api/staking/total']>;
}

// Wide enough for the base units of any mint, so that decimal text of any precision is added up exactly.
const EXACT_DECIMALS = 18;

/** A part of the market supply as a row shows it. */
export interface PartRow {
  readonly part: PartName;
  readonly stated: { readonly amount: string; readonly percent: string };
  /** Amount and share as they stand; null where they are not known. */
  readonly live: { readonly amount: string; readonly percent: string } | null;
  /** What may be said of the live one. */
  readonly provenance: Provenance;
}

/** How the market supply is divided, as stated and as it stands. */
export interface SupplyView {
  readonly rows: readonly PartRow[];
  /** Shares of the bar: the live ones where every one of them is known and none is below zero, else the stated ones. */
  readonly shares: readonly { readonly id: PartName; readonly label: string; readonly percent: number }[];
  readonly isLive: boolean;
  /** Of the rest, which is the reduced supply: as old as the older of its parts. */
  readonly rest: Provenance;
}

function amountOf(text: string | null): bigint | null {
  return text === null ? null : fromDecimalText(text, EXACT_DECIMALS);
}

function words({ amount, percent }: LivePart): PartRow['live'] {
  return amount === null || percent === null
    ? null
    : {
        amount: formatAbbreviated(toDecimalText(amount, EXACT_DECIMALS)),
        percent: percent.replace('-', '−'),
      };
}

/** Whether the rest can be told, and if not why: a sum with a hole in it is not a sum. */
function restProvenance(vault: Provenance, staked: Provenance): Provenance {
  if (vault.kind === 'read' && staked.kind === 'read') {
    const older: FigureRead = vault.asOf < staked.asOf ? vault : staked;
    return { ...older, kind: 'read', calls: [...vault.calls, ...staked.calls] };
  }
  if (vault.kind === 'loading' || staked.kind === 'loading') return { kind: 'loading' };
  return { kind: 'unavailable', why: 'Needs both live parts', retry: null };
}

/** The market supply by its parts. No reference value stands in for a part, and none enters the rest. */
export function supplyView(
  { vault, staking }: SupplyReadings,
  labels: Readonly<Record<PartName, string>>,
): SupplyView {
  const ofVault = provenanceWithoutFallback(ANALYTICS_VAULT_BALANCE.path, vault);
  const ofStaked = provenanceWithoutFallback(ANALYTICS_STAKING_TOTAL.path, staking);
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
      live: words(live[index] ?? { part, amount: null, percent: null }),
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
