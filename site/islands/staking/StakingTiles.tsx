import { formatCount } from '../../../data/model/count.ts';
import { formatAbbreviated, formatFull } from '../../../data/model/format.ts';
import { type FigureBodies, STAKING_PORTAL_TOTAL } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { useFigure } from '../../data/use-figure.ts';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { Figure } from '../figure/Figure.tsx';
import { FigureLedger } from '../figure/FigureLedger.tsx';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { provenanceWithoutFallback } from '../figure/provenance.ts';
import { useExplorerLink } from '../figure/use-explorer-link.ts';

/** A figure that the project states: `180`, `days`. */
interface StatedFigure {
  readonly value: string;
  readonly unit: string;
}

export interface TileWords {
  readonly stakers: string;
  readonly staked: string;
  readonly lock: string;
  readonly lockValue: StatedFigure;
  readonly rewards: string;
  readonly rewardsValue: StatedFigure;
  readonly rewardsNote: string;
}

interface StakingTilesProps {
  readonly words: TileWords;
  readonly explorer: string;
}

/** The staking portal's four tiles. */
export default function StakingTiles(props: StakingTilesProps) {
  return (
    <LiveRoot>
      <LiveTiles {...props} />
    </LiveRoot>
  );
}

function LiveTiles({ words, explorer }: StakingTilesProps) {
  return <Tiles words={words} link={useExplorerLink(explorer)} staking={useFigure(STAKING_PORTAL_TOTAL)} />;
}

interface TilesProps {
  readonly words: TileWords;
  /** Null where no public explorer shows the chain. */
  readonly link: ExplorerLink | null;
  readonly staking: Reading<FigureBodies['/api/staking/total']>;
}

export function Tiles({ words, link, staking }: TilesProps) {
  const body = staking.kind === 'known' ? staking.body : null;
  const provenance = provenanceWithoutFallback('/api/staking/total', staking);
  return (
    <FigureLedger columns={4} lined={false}>
      <Figure
        label={words.stakers}
        value={body ? formatCount(body.stakerCount) : null}
        unit=""
        fact="Wallets with a stake"
        provenance={provenance}
        evidence="Open stake entries"
      />
      <Figure
        label={words.staked}
        value={body && formatAbbreviated(body.balance)}
        unit="BD"
        fact={
          <>
            In full <strong>{body ? `${formatFull(body.balance)} BD` : '—'}</strong>
          </>
        }
        provenance={provenance}
        evidence={
          body && (
            <Evidence
              id={body.stakePool}
              href={link?.('address', body.stakePool) ?? null}
              name="Stake pool"
            />
          )
        }
      />
      <Figure
        label={words.lock}
        {...words.lockValue}
        fact="From the moment of the stake"
        provenance={{ kind: 'stated' }}
      />
      <Figure
        label={words.rewards}
        {...words.rewardsValue}
        fact={words.rewardsNote}
        provenance={{ kind: 'stated' }}
      />
    </FigureLedger>
  );
}
