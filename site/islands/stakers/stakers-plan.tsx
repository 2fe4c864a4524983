import { STAKER_BADGES } from '../../../data/model/tiers.ts';
import { Badge } from '../badge/Badge.tsx';
import { Dash } from '../figure/Dash.tsx';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { formatStake } from '../figure/moved-amount.ts';
import { LockLeft, LockProgress } from '../lock/Lock.tsx';
import type { TablePlan } from '../table/table-plan.ts';
import { walletColumn } from '../table/wallet-columns.tsx';
import { badgeRank, type StakerRow } from './staker-row.ts';

const NO_BADGE = 'No badge';

const moment = (at: number) => new Date(at).toISOString();

/** The table of active stakers; `link` is null where no public explorer shows the chain. */
export function stakersPlan(link: ExplorerLink | null): TablePlan<StakerRow> {
  return {
    name: 'stakers',
    caption: 'Active stakers',
    findLabel: 'Find a wallet',
    sorting: { column: 'staked', direction: 'descending' },
    rowKey: ({ wallet }) => wallet,
    textOf: ({ wallet }) => wallet,
    choice: {
      id: 'badge',
      label: 'Badge',
      options: [...STAKER_BADGES.toReversed(), NO_BADGE],
      valueOf: ({ badge }) => badge ?? NO_BADGE,
    },
    columns: [
      walletColumn(({ wallet }) => wallet, link),
      {
        id: 'badge',
        name: 'Badge',
        firstDirection: 'descending',
        sortKey: ({ badge }) => badgeRank(badge, STAKER_BADGES),
        cell: ({ badge }) => <Badge badge={badge} />,
      },
      {
        id: 'staked',
        name: 'Staked (BD)',
        isFigure: true,
        firstDirection: 'descending',
        sortKey: ({ units }) => units,
        cell: ({ amount }) => formatStake(amount),
      },
      {
        id: 'opened',
        name: 'Opened by',
        cell: ({ signature }) =>
          signature === null ? (
            <Dash why="The history does not reach it" />
          ) : (
            <Evidence id={signature} href={link?.('tx', signature) ?? null} name="Transaction" />
          ),
      },
      {
        id: 'left',
        name: 'Time left',
        isFigure: true,
        sortKey: ({ unlocksAt }) => unlocksAt,
        cell: ({ unlocksAt }) => <LockLeft unlocksAt={unlocksAt} />,
      },
      {
        id: 'progress',
        name: 'Progress',
        cell: ({ startedAt, unlocksAt }) => <LockProgress startedAt={startedAt} unlocksAt={unlocksAt} />,
      },
    ],
    csv: {
      fileName: 'bd-stakers.csv',
      header: ['Wallet', 'Badge', 'Staked (BD)', 'Lock began (UTC)', 'Unlocks (UTC)', 'Opened by'],
      cells: ({ wallet, badge, amount, startedAt, unlocksAt, signature }) => [
        wallet,
        badge,
        amount,
        moment(startedAt),
        moment(unlocksAt),
        signature,
      ],
    },
  };
}
