import { MARKET_SUPPLY_BD } from '../../../data/model/supply.ts';
import {
  ANALYTICS_MARKET_DATA,
  ANALYTICS_OVERVIEW,
  ANALYTICS_REAL_STAKING,
  ANALYTICS_STAKING_TOTAL,
  ANALYTICS_VAULT_BALANCE,
  type FigureBodies,
} from '../../data/figure-strategies.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Evidence } from '../figure/Evidence.tsx';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { formatRound } from '../figure/round-amount.ts';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import {
  deployedText,
  marketCapCard,
  participationCard,
  priceCard,
  ratioCard,
  stakedCard,
  stakersCard,
  vaultCard,
} from './analytics-figures.ts';

const SUPPLY = formatRound(MARKET_SUPPLY_BD.toString());

interface AnalyticsFiguresProps {
  /** Where the public explorer is. */
  readonly explorer: string;
}

/** The seven figures of the analytics screen. Each follows its own call, so that news of one draws that one alone. */
export default function AnalyticsFigures({ explorer }: AnalyticsFiguresProps) {
  return (
    <LiveRoot>
      <FigureLedger columns={4} lined={false} oneShort>
        <VaultBalance explorer={explorer} />
        <ActiveStakers />
        <TotalStaked explorer={explorer} />
        <CurrentPrice />
        <MarketCap />
        <StakingRatio />
        <StakingParticipation />
      </FigureLedger>
    </LiveRoot>
  );
}

function VaultBalance({ explorer }: AnalyticsFiguresProps) {
  const reading = useFigure(ANALYTICS_VAULT_BALANCE);
  const link = useExplorerLink(explorer);
  const deployed = deployedText(useFigure(ANALYTICS_OVERVIEW));
  const { source, ...figure } = vaultCard(reading);
  const address = reading.kind === 'known' ? reading.body.vaultAddress : null;
  return (
    <Figure
      label="Total Vault Balance"
      unit="BD"
      fact={`${deployed ?? '—'} with what is staked`}
      evidence={
        address === null ? (
          source
        ) : (
          <Evidence id={address} href={link?.('address', address) ?? null} name="Vault address" />
        )
      }
      {...figure}
    />
  );
}

function ActiveStakers() {
  const { source, ...figure } = stakersCard(useFigure(ANALYTICS_REAL_STAKING));
  return (
    <Figure label="Active Stakers" unit="wallets" fact="With an open stake" evidence={source} {...figure} />
  );
}

const poolOf = ({ stakePool }: FigureBodies['/api/staking/total']) => stakePool;

function TotalStaked({ explorer }: AnalyticsFiguresProps) {
  const { source, ...figure } = stakedCard(useFigure(ANALYTICS_REAL_STAKING));
  const pool = useFigure(ANALYTICS_STAKING_TOTAL, poolOf);
  const link = useExplorerLink(explorer);
  return (
    <Figure
      label="Total Staked"
      unit="BD"
      fact="In the stake pool"
      evidence={
        pool.kind === 'known' ? (
          <Evidence id={pool.body} href={link?.('address', pool.body) ?? null} name="Stake pool" />
        ) : (
          source
        )
      }
      {...figure}
    />
  );
}

function CurrentPrice() {
  const { source, ...figure } = priceCard(useFigure(ANALYTICS_MARKET_DATA));
  return (
    <Figure
      label="Current Price"
      prefix="$"
      unit="USD"
      fact="US dollars a BD"
      evidence={source}
      {...figure}
    />
  );
}

function MarketCap() {
  const { source, ...figure } = marketCapCard(useFigure(ANALYTICS_MARKET_DATA));
  return (
    <Figure
      label="Market Cap"
      prefix="$"
      unit="USD"
      fact={`Price × ${SUPPLY}`}
      evidence={source}
      {...figure}
    />
  );
}

function StakingRatio() {
  const { source, ...figure } = ratioCard(useFigure(ANALYTICS_OVERVIEW));
  return <Figure label="Staking Ratio" unit="" fact={`Staked ÷ ${SUPPLY}`} evidence={source} {...figure} />;
}

function StakingParticipation() {
  const { source, ...figure } = participationCard(useFigure(ANALYTICS_REAL_STAKING));
  return (
    <Figure
      label="Staking Participation"
      unit=""
      fact="Wallets staking ÷ wallets holding"
      evidence={source}
      {...figure}
    />
  );
}
