import { useMemo } from 'react';
import { REFERENCE_VALUES } from '../../../data/model/reference-values.ts';
import { type FigureBodies, STAKING_TRANSFERS } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { Age } from '../figure/Age.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { ReadTable } from '../table/ReadTable.tsx';
import { stakerRows } from './staker-row.ts';
import { stakersPlan } from './stakers-plan.tsx';

interface StakersTableProps {
  readonly link: ExplorerLink | null;
  readonly reading: Reading<FigureBodies['/api/staking/transfers']>;
}

/** The table of every wallet that stakes, or why there is none. */
export function StakersTable({ link, reading }: StakersTableProps) {
  const plan = useMemo(() => stakersPlan(link), [link]);
  const body = reading.kind === 'known' ? reading.body : null;
  const stakers = body?.stakers;
  const rows = useMemo(() => (stakers ? stakerRows(stakers) : []), [stakers]);
  return (
    <ReadTable
      plan={plan}
      reading={reading}
      rows={rows}
      skeletonRows={REFERENCE_VALUES.dashboard.activeStakers}
      note={
        body && (
          <Age read={{ asOf: Date.parse(body.asOf), source: 'chain', calls: [STAKING_TRANSFERS.path] }} />
        )
      }
      what="the stakers"
      failed="The stakers could not be read."
      unknown="The stakes are still being read from the chain; who stakes is not known yet."
      empty="No wallet stakes BD at the moment."
    />
  );
}
