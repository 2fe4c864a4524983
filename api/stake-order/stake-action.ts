import { apiOriginOf, type PublicOrigins } from '../../data/config/api-origin.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { stakeActionCard, stakeActionOrder } from '../../data/contract/stake-action.ts';
import type { buildStake } from '../../data/contract/stake-order.ts';
import { groupDecimalText } from '../../data/model/digit-grouping.ts';
import { LOCK_DAYS, STATED_YIELD_PERCENT } from '../../data/model/staking-terms.ts';
import { TIER_TERMS } from '../../data/model/tiers.ts';
import { type ApiRoute, callRoute } from '../call-router.ts';
import { ApiError } from '../errors.ts';
import { chainSnapshot, type FigureInputs } from '../metrics/figure.ts';
import { linkOrigin } from '../pages/serve-pages.ts';
import { readBody, readQuery } from '../request-input.ts';
import { addressBytes } from '../wallet-address.ts';

/** The version of the Solana Actions specification. */
const VERSION = '2.4.2';
/** CAIP-2 identifies a cluster by this many leading characters of its genesis hash. */
const CLUSTER_LENGTH = 32;

const DESCRIPTION =
  `The stake is locked for ${LOCK_DAYS} days. There is no early withdrawal for any reason. Staking again with the same wallet ` +
  `restarts the lock. The stated annual yield of ${STATED_YIELD_PERCENT}% is set by the project and not guaranteed.`;

const bd = (amount: string) => `${groupDecimalText(amount)} BD`;
const linkTo = (amount: string) => `${PATHS.stakeAction}?amount=${amount}`;

const CHOICES = [
  ...TIER_TERMS.map(({ tier, minimumStakeBd }) => ({
    type: 'transaction' as const,
    href: linkTo(String(minimumStakeBd)),
    label: `${tier}: ${bd(String(minimumStakeBd))}`,
  })),
  {
    type: 'transaction' as const,
    href: linkTo('{amount}'),
    label: 'Stake',
    parameters: [
      {
        type: 'text' as const,
        name: 'amount',
        label: 'BD to stake',
        required: true as const,
        pattern: String.raw`^\d+(\.\d+)?$`,
        patternDescription: 'An amount of BD, such as 1500000 or 0.5.',
      },
    ],
  },
];

/** @param amount BD as decimal text; undefined for a card on which the visitor chooses the amount */
function actionCard(
  amount: string | undefined,
  { icon, isChainRead }: { readonly icon: string; readonly isChainRead: boolean },
): ResponseOf<typeof stakeActionCard> {
  return {
    type: 'action',
    icon,
    title: 'Stake BD',
    description: DESCRIPTION,
    label: amount === undefined ? 'Stake BD' : `Stake ${bd(amount)}`,
    ...(amount === undefined ? { links: { actions: CHOICES } } : {}),
    ...(isChainRead ? {} : { disabled: true, error: { message: new ApiError('not-indexed-yet').message } }),
  };
}

interface ActionContext extends PublicOrigins {
  readonly figureInputs: () => FigureInputs;
  readonly build: (wallet: string, amount: string) => Promise<ResponseOf<typeof buildStake>>;
}

export function stakeActionRoutes({ figureInputs, build, ...origins }: ActionContext): readonly ApiRoute[] {
  /** Clients read the version and the cluster from these headers. */
  const actionHeaders = () => {
    const { identity } = figureInputs().index;
    return {
      'Access-Control-Expose-Headers': 'X-Action-Version, X-Blockchain-Ids, Retry-After',
      'X-Action-Version': VERSION,
      ...(identity ? { 'X-Blockchain-Ids': `solana:${identity.genesisHash.slice(0, CLUSTER_LENGTH)}` } : {}),
    };
  };
  return [
    callRoute(stakeActionCard, {}, (request, response) => {
      const { amount } = readQuery(stakeActionCard.query, request.query);
      const icon = `${linkOrigin(apiOriginOf(origins), request)}${PATHS.actionIcon}`;
      const isChainRead = chainSnapshot(figureInputs()) !== null;
      response.set(actionHeaders()).json(actionCard(amount, { icon, isChainRead }));
    }),
    callRoute(stakeActionOrder, { limit: 'stakes-built' }, async (request, response) => {
      response.set(actionHeaders());
      const { amount } = readQuery(stakeActionOrder.query, request.query);
      const { account } = readBody(stakeActionOrder.body, request.body);
      addressBytes(account);
      const order = await build(account, amount);
      const { transaction } = order;
      const message = `Stakes ${bd(order.amount)}, locked until ${order.unlockDate.slice(0, 10)}.`;
      response.json({ type: 'transaction', transaction, message });
    }),
  ];
}
