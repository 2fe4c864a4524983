import { useStore } from '@nanostores/react';
import { memo } from 'react';
import type { StakingTotal, TradingMarketData, VaultLiveBalance } from '../../../data/contract/metrics.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import {
  MARKET_SUPPLY_BD,
  STREAMFLOW_ALLOCATION_BD,
  STREAMFLOW_MINIMUM_STAKE_BD,
  TOTAL_SUPPLY_BD,
} from '../../../data/model/supply.ts';
import type { Reading } from '../../data/figure-query.ts';
import {
  DASHBOARD_MARKET_DATA,
  DASHBOARD_STAKING_TOTAL,
  DASHBOARD_VAULT_BALANCE,
} from '../../data/figure-strategies.ts';
import { $lastReads, $newestSlot } from '../../data/source-freshness.ts';
import { useFigure, useNetwork, useStreamState } from '../../data/use-figure.ts';
import type { ExplorerLink } from '../ui/explorer-link.ts';
import { Figure, FigureGrid } from '../ui/Figure.tsx';
import { formatCompact } from '../ui/format.ts';
import { LinkedId, useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { StateLine } from './DashboardStatus.tsx';
import { priceFigure, reducedSupplyFigure, stakedFigure, vaultFigure } from './dashboard-figures.ts';
import styles from './dashboard-tiles.module.css';
import { OfficialAddresses } from './OfficialAddresses.tsx';
import { Trend } from './Trend.tsx';

interface DashboardTilesProps {
  readonly explorerUrl: string;
  readonly provenanceText: string;
}

export default liveIsland(function DashboardTiles({ explorerUrl, provenanceText }: DashboardTilesProps) {
  const link = useExplorerLink(explorerUrl);
  return (
    <section aria-labelledby="live-figures">
      <h2 className="visually-hidden" id="live-figures">
        Live figures
      </h2>
      <TileGrid
        link={link}
        vault={useFigure(DASHBOARD_VAULT_BALANCE)}
        staking={useFigure(DASHBOARD_STAKING_TOTAL)}
        market={useFigure(DASHBOARD_MARKET_DATA)}
      />
      <div className={styles.provenance}>
        <LiveStateLine />
        <p>{provenanceText}</p>
      </div>
      <OfficialAddresses link={link} />
    </section>
  );
});

/** Separate from the grid, so that the new slot in every heartbeat does not render the grid again. */
function LiveStateLine() {
  const slot = useStore($newestSlot, { ssr: 'initial' });
  const { chain } = useStore($lastReads, { ssr: 'initial' });
  return <StateLine stream={useStreamState()} slot={slot} readAt={chain} network={useNetwork()} />;
}

const MARKET_SUPPLY = formatCompact(MARKET_SUPPLY_BD.toString());
const STREAMFLOW_ALLOCATION = formatCompact(STREAMFLOW_ALLOCATION_BD.toString());
const STREAMFLOW_MINIMUM = formatCompact(STREAMFLOW_MINIMUM_STAKE_BD.toString());

// Created only once, so that the memoized tiles do not render again.
const VAULT_TREND = <Trend series="vault" label="Vault balance" href="/analytics" />;
const STAKED_TREND = <Trend series="staked" label="Total staked" href="/analytics" />;
const PRICE_TREND = <Trend series="price" label="BD price" href="/analytics#market" />;

interface TileProps<Body> {
  readonly reading: Reading<Body>;
  readonly link: ExplorerLink | null;
}

interface TileGridProps {
  readonly link: ExplorerLink | null;
  readonly vault: Reading<VaultLiveBalance>;
  readonly staking: Reading<StakingTotal>;
  readonly market: Reading<TradingMarketData>;
}

export function TileGrid({ link, vault, staking, market }: TileGridProps) {
  return (
    <FigureGrid columns={3}>
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
        source={`${MARKET_SUPPLY} − staked − vault − ${STREAMFLOW_ALLOCATION}`}
        {...reducedSupplyFigure(vault, staking)}
      />
      <Figure
        label="Streamflow Allocation"
        size="small"
        value={STREAMFLOW_ALLOCATION}
        unit="BD"
        provenance={{ kind: 'stated' }}
        fact={`for wallets staking ${STREAMFLOW_MINIMUM}+`}
      />
    </FigureGrid>
  );
}

const VaultTile = memo(function VaultTile({ reading, link }: TileProps<VaultLiveBalance>) {
  const { address, sharePercent, ...figure } = vaultFigure(reading);
  return (
    <Figure
      label="Vault Balance"
      unit="BD"
      trend={VAULT_TREND}
      fact={
        <>
          <strong>{sharePercent === null ? '—' : `${sharePercent}%`}</strong> of market supply
        </>
      }
      source={
        address === null ? null : <LinkedId id={address} kind="address" link={link} name="Vault address" />
      }
      {...figure}
    />
  );
});

const StakedTile = memo(function StakedTile({ reading, link }: TileProps<StakingTotal>) {
  const { poolAddress, stakerCount, ...figure } = stakedFigure(reading);
  return (
    <Figure
      label="Total Staked"
      unit="BD"
      trend={STAKED_TREND}
      fact={
        <>
          <strong>{formatCount(stakerCount)}</strong> Active Stakers
        </>
      }
      source={
        poolAddress === null ? null : (
          <LinkedId id={poolAddress} kind="address" link={link} name="Stake pool" />
        )
      }
      {...figure}
    />
  );
});

const PriceTile = memo(function PriceTile({ reading }: Pick<TileProps<TradingMarketData>, 'reading'>) {
  const { marketCap, change24h, feedText, ...figure } = priceFigure(reading);
  return (
    <Figure
      label="BD Price"
      prefix="$"
      unit="USD"
      trend={PRICE_TREND}
      fact={
        <span className={styles.market}>
          <span>
            Market cap <strong>{marketCap ?? '—'}</strong>
          </span>
          <span>
            <strong>{change24h}</strong> in 24 h
          </span>
        </span>
      }
      source={feedText}
      {...figure}
    />
  );
});
