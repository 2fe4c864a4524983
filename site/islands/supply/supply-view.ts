import type { StakingTotal, VaultLiveBalance } from '../../../data/contract/metrics.ts';
import {
  type AllocationPart,
  type LiveAllocationPart,
  liveAllocation,
  statedAllocation,
} from '../../../data/model/allocation.ts';
import { EXACT_DECIMALS, exactUnits, toDecimalText } from '../../../data/model/amounts.ts';
import { formatAbbreviated } from '../../../data/model/format.ts';
import type { Reading } from '../../data/figure-query.ts';
import { ANALYTICS_STAKING_TOTAL, ANALYTICS_VAULT_BALANCE } from '../../data/figure-strategies.ts';
import { type Provenance, provenanceOf, totalProvenance } from '../ui/provenance.ts';

export type PartName = AllocationPart['part'];

type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface SupplyLabels
  extends Labels<PartName | 'totalSupply' | 'marketSupply' | 'reducedSupply' | 'chart'> {
  /** The heading of the column with the stated amounts, such as `According to the project, November 2026`. */
  readonly asStated: string;
  /** The month in which the project stated the amounts, such as `November 2026`. */
  readonly statedOn: string;
}

export interface SupplyReadings {
  readonly vault: Reading<VaultLiveBalance>;
  readonly staking: Reading<StakingTotal>;
}

function liveTexts({ amount, percent }: LiveAllocationPart) {
  if (amount === null || percent === null) return null;
  const text = formatAbbreviated(toDecimalText(amount, EXACT_DECIMALS));
  return { amount: text, percent: percent.replace('-', '−') };
}

/** The stated and the current parts of the supply. An unknown current part is null, never a reference value. */
export function supplyView({ vault, staking }: SupplyReadings, labels: Labels<PartName>) {
  const liveParts = liveAllocation(
    vault.kind === 'known' ? exactUnits(vault.body.vaultBalance) : null,
    staking.kind === 'known' ? exactUnits(staking.body.balance) : null,
    EXACT_DECIMALS,
  );
  const vaultProvenance = provenanceOf(ANALYTICS_VAULT_BALANCE.path, vault, 'unavailable');
  const stakedProvenance = provenanceOf(ANALYTICS_STAKING_TOTAL.path, staking, 'unavailable');
  const remainderProvenance = totalProvenance(vaultProvenance, stakedProvenance);
  const provenances: Readonly<Record<PartName, Provenance>> = {
    vault: vaultProvenance,
    staked: stakedProvenance,
    streamflow: { kind: 'stated' },
    remainder: remainderProvenance,
  };
  const isLive = liveParts.every(({ amount }) => amount !== null && amount >= 0n);
  const statedParts = statedAllocation();
  return {
    rows: statedParts.map(({ part, amountBd, percent }, index) => ({
      part,
      stated: { amount: formatAbbreviated(amountBd.toString()), percent: percent.toFixed(1) },
      /** Current amount and share; null if unknown. */
      live: liveTexts(liveParts[index] ?? { part, amount: null, percent: null }),
      provenance: provenances[part],
    })),
    /** The shares of the bars: the current ones if all are known and none is negative, otherwise the stated ones. */
    shares: statedParts.map(({ part, percent }, index) => ({
      id: part,
      label: labels[part],
      percent: isLive ? Number(liveParts[index]?.percent) : percent,
    })),
    isLive,
    /** The remainder is the reduced supply. */
    remainderProvenance,
  };
}

export interface SupplySectionProps {
  readonly view: ReturnType<typeof supplyView>;
  readonly labels: SupplyLabels;
}
