import { useMemo } from 'react';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { ReadTable } from '../table/ReadTable.tsx';
import { premiumPlan } from './premium-plan.tsx';

interface PremiumTableProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<FigureBodies['/api/stakers/enhanced']>;
}

/** The table of the stakers that have proved their wallet, or why there is none. */
export function PremiumTable({ link, reading }: PremiumTableProps) {
  const plan = useMemo(() => premiumPlan(link), [link]);
  const stakers = reading.kind === 'known' ? reading.body : null;
  const rows = useMemo(() => (stakers ?? []).filter(({ isAuthenticated }) => isAuthenticated), [stakers]);
  return (
    <ReadTable
      plan={plan}
      reading={reading}
      rows={rows}
      skeletonRows={0}
      what="the authenticated stakers"
      failed="The authenticated stakers could not be read."
      unknown="The stakes are still being read from the chain; who stakes is not known yet."
      empty="No staker has proved to the portal yet that a wallet is theirs."
    />
  );
}
