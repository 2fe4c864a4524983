import { memo } from 'react';
import { formatCount } from '../../../data/model/count.ts';
import {
  MARKET_SUPPLY_BD,
  STREAMFLOW_MINIMUM_STAKE_BD,
  supplyParts,
  TOTAL_SUPPLY_BD,
} from '../../../data/model/supply.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { formatRound } from '../figure/round-amount.ts';
import { priceFigure, reducedSupplyFigure, stakedFigure, vaultFigure } from './ledger-figures.ts';

const MARKET_SUPPLY = formatRound(MARKET_SUPPLY_BD.toString());
const STREAMFLOW = formatRound(supplyParts(1).streamflowAllocation);
const STREAMFLOW_MINIMUM = formatRound(STREAMFLOW_MINIMUM_STAKE_BD.toString());

interface LedgerGridProps {
  /** Null where no public explorer shows the chain. */
  readonly link: ExplorerLink | null;
  readonly vault: Reading<FigureBodies['/api/vault/live-balance']>;
  readonly staking: Reading<FigureBodies['/api/staking/total']>;
  readonly market: Reading<FigureBodies['/api/trading/market-data']>;
}

/** Three live figures above three of supply. */
export function LedgerGrid({ link, vault, staking, market }: LedgerGridProps) {
  return (
    <FigureLedger columns={3}>
      <VaultTile reading={vault} link={link} />
      <StakedTile reading={staking} link={link} />
      <PriceTile reading={market} />
      <Figure
        label="Market Supply"
        size="small"
        value={MARKET_SUPPLY}
        unit="BD"
        provenance={{ kind: 'stated' }}
        fact={`of ${formatCount(TOTAL_SUPPLY_BD)} in total`}
      />
      <Figure
        label="Current Reduced Supply"
        size="small"
        unit="BD"
        evidence={`${MARKET_SUPPLY} − staked − vault − ${STREAMFLOW}`}
        {...reducedSupplyFigure(vault, staking)}
      />
      <Figure
        label="Streamflow Allocation"
        size="small"
        value={STREAMFLOW}
        unit="BD"
        provenance={{ kind: 'stated' }}
        fact={`for wallets staking ${STREAMFLOW_MINIMUM}+`}
      />
    </FigureLedger>
  );
}

const VaultTile = memo(function VaultTile({
  reading,
  link,
}: Pick<LedgerGridProps, 'link'> & { reading: LedgerGridProps['vault'] }) {
  const { address, sharePercent, ...figure } = vaultFigure(reading);
  return (
    <Figure
      label="Vault Balance"
      unit="BD"
      fact={
        <>
          <strong>{sharePercent === null ? '—' : `${sharePercent}%`}</strong> of market supply
        </>
      }
      evidence={
        address === null ? null : (
          <Evidence id={address} href={link?.('address', address) ?? null} name="Vault address" />
        )
      }
      {...figure}
    />
  );
});

const StakedTile = memo(function StakedTile({
  reading,
  link,
}: Pick<LedgerGridProps, 'link'> & { reading: LedgerGridProps['staking'] }) {
  const { pool, stakers, ...figure } = stakedFigure(reading);
  return (
    <Figure
      label="Total Staked"
      unit="BD"
      fact={
        <>
          <strong>{formatCount(stakers)}</strong> Active Stakers
        </>
      }
      evidence={
        pool === null ? null : <Evidence id={pool} href={link?.('address', pool) ?? null} name="Stake pool" />
      }
      {...figure}
    />
  );
});

const PriceTile = memo(function PriceTile({ reading }: { reading: LedgerGridProps['market'] }) {
  const { marketCap, feed, ...figure } = priceFigure(reading);
  return (
    <Figure
      label="BD Price"
      prefix="$"
      unit="USD"
      fact={
        <>
          Market cap <strong>{marketCap ?? '—'}</strong>
        </>
      }
      evidence={feed}
      {...figure}
    />
  );
});
