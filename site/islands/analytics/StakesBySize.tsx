import { useMemo } from 'react';
import { ANALYTICS_STAKERS, type FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { useFigure } from '../../data/use-figure.ts';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LiveRoot } from '../figure/LiveRoot.tsx';
import { useExplorerLink } from '../figure/use-explorer-link.ts';
import { ReadTable } from '../table/ReadTable.tsx';
import { stakesPlan } from './stakes-plan.tsx';

/** Every wallet's stake, the largest first. */
export default function StakesBySize({ explorer }: { readonly explorer: string }) {
  return (
    <LiveRoot>
      <LiveStakes explorer={explorer} />
    </LiveRoot>
  );
}

function LiveStakes({ explorer }: { readonly explorer: string }) {
  return <StakeTable link={useExplorerLink(explorer)} reading={useFigure(ANALYTICS_STAKERS)} />;
}

interface StakeTableProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<FigureBodies['/api/stakers/enhanced']>;
}

function StakeTable({ link, reading }: StakeTableProps) {
  const plan = useMemo(() => stakesPlan(link), [link]);
  return (
    <ReadTable
      plan={plan}
      reading={reading}
      rows={reading.kind === 'known' ? reading.body : []}
      what="the stakes"
      failed="The stakes could not be read."
      unknown="The stakes are still being read from the chain; who stakes is not known yet."
      empty="No wallet stakes BD at the moment."
    />
  );
}
